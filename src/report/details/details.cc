// The order: the run and its machine, the jobs, repetitions, the audit.
#include "report/details/details.h"

#include <algorithm>
#include <vector>

#include "report/details/detail_lines.h"
#include "report/formats.h"
#include "report/normal.h"
#include "report/parts/derived.h"
#include "report/parts/numbers.h"
#include "report/parts/shown.h"
#include "result/sums/main_latency.h"
#include "result/sums/rates.h"

namespace fathom::report {
namespace details {
namespace {

// A word with a space is quoted, so that its end is visible.
std::string words_text(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words)
    out += (out.empty() ? "" : " ") + (word.find(' ') == word.npos ? word : fmt::format("\"{}\"", word));
  return out;
}

std::string run_lines(const result::Run& run) {
  const auto when = [&](std::uint64_t ms) { return ms == 0 ? std::string() : parts::calendar(ms, run.utc_offset_s); };
  std::string out = heading("details of the run") + fact("run id", run.run_id) +
                    fact("begun", when(run.time_epoch_ms)) + fact("ended", when(run.end_epoch_ms)) +
                    fact("command line", words_text(run.program.argv)) + fact("compiler", run.program.compiler) +
                    fact("options of all", options_text(run.global_options));
  for (const auto& layout : run.layouts)
    out += fact("laid out", fmt::format("{}: {} file{}, {}", layout.job, layout.files, layout.files == 1 ? "" : "s",
                                        bytes_text(static_cast<double>(layout.bytes))));
  return out;
}

std::string host_lines(const result::HostFacts& host) {
  std::string out = fact("host", host.hostname) + fact("distribution", host.distribution) +
                    fact("kernel", host.kernel) + fact("machine", host.machine) + fact("processor", host.cpu_model);
  if (host.cpus_online > 0)
    out += fact("CPUs", fmt::format("{} online, {} allowed", host.cpus_online, host.cpus_allowed));
  out += fact("governor", host.governor) + fact("hypervisor", host.hypervisor) +
         fact("kernel's clock", host.clock_source) + bytes_fact("memory", host.memory_bytes) +
         bytes_fact("page", host.page_bytes);
  if (host.cpus_online > 0) out += fact("load before", fmt::format("{:.2f} over a minute", host.load_average_1min));
  return out.empty() ? "" : heading("details of the machine") + out;
}

std::string device_lines(const result::DeviceFacts& device) {
  std::string out = heading("details of " + device.target) + fact("kind", device.kind) + fact("disk", device.disk) +
                    fact("model", device.model) + fact("serial", device.serial) +
                    bytes_fact("size", device.size_bytes) + bytes_fact("logical block", device.logical_block_bytes) +
                    fact("scheduler", device.scheduler);
  if (!device.disk.empty()) out += fact("rotational", device.rotational ? "yes" : "no");
  return out + fact("file system", device.file_system) + fact("mounted at", device.mount_point) +
         fact("mount options", device.mount_options);
}

// The members of each group sum.
std::string member_lines(const result::Run& run) {
  std::string out;
  for (const auto& job : run.group_members)
    for (std::size_t d = 0; d < result::kDirs; ++d)
      if (const auto& dir = job.dirs[d]; dir.ios > 0) {
        const auto rate = result::sums::rate_of(dir);
        const auto main = result::sums::main_latency(dir);
        out += fact(fmt::format("{} {}", job.name, parts::kDirNames[d]),
                    fmt::format("{} I/Os per second, {}/s, {} mean {}, longest {}", rate_text(rate.iops().value_or(0)),
                                bytes_text(rate.bytes_per_s().value_or(0)), main.name,
                                time_text(main.latency->moments_ns.mean()),
                                time_text(static_cast<double>(main.latency->moments_ns.max))));
      }
  return out.empty() ? "" : heading("details of the jobs under a sum") + out;
}

std::string repeat_lines(const result::Run& run) {
  std::string out;
  for (const auto& metric : run.repeated) {
    std::string values;
    for (const double value : metric.values)
      values += (values.empty() ? "" : ", ") + parts::quantity_text(value, metric.unit);
    out +=
        fact(fmt::format("{}{}{} {}", metric.job, metric.direction.empty() ? "" : " ", metric.direction, metric.metric),
             fmt::format("{}; deviation {}", values, parts::quantity_text(metric.stddev, metric.unit)));
  }
  return out.empty() ? "" : heading("details of the repetitions") + out;
}

}  // namespace

std::string options_text(const result::Options& options) {
  std::string out;
  for (const auto& [name, value] : options)
    out += fmt::format("{}{}{}{}", out.empty() ? "" : " ", name, value.empty() ? "" : "=", value);
  return out;
}

std::string details(const result::Run& run) {
  std::string out = run_lines(run) + host_lines(run.host);
  for (const auto& device : run.host.devices) out += device_lines(device);
  for (const auto& job : run.jobs) out += job_details(run, job);
  out += member_lines(run) + repeat_lines(run);
  return run.audit ? out + audit_details(*run.audit) : out;
}

}  // namespace details

std::string verbose(const result::Run& run) { return normal(run) + details::details(parts::shown(run)); }

}  // namespace fathom::report
