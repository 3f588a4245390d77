// Rates and latencies are those of `fathom compare`. CPU time belongs to a job, and to no direction of it.
#include "history/entry.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <span>

#include "base/text/shell_word.h"
#include "base/text/unit_text.h"
#include "compare/run_numbers.h"
#include "result/sums/checks.h"
#include "stats/changes/change_points.h"

namespace fathom::history {
namespace {

using result::kDirs;

constexpr std::string_view kAllDirections = "all";

// The metrics of a comparison that a number is taken from: the first one that a run has.
std::vector<std::string_view> sources_of(std::size_t metric, compare::Kind kind) {
  const bool paging = kind == compare::Kind::paging;
  switch (metric) {
    case 0:
      return paging ? std::vector<std::string_view>{} : std::vector<std::string_view>{"bw"};
    case 1:
      return {paging ? std::string_view("accesses_per_s") : std::string_view("iops")};
    case 2:
      return paging ? std::vector<std::string_view>{"access_p99"}
                    : std::vector<std::string_view>{"intended_lat_p99", "lat_p99", "clat_p99"};
    default:
      return {};
  }
}

std::vector<compare::Metric> metrics_of(compare::Kind kind) {
  std::vector<compare::Metric> metrics;
  for (std::size_t m = 0; m < kMetrics; ++m)
    for (const auto name : sources_of(m, kind)) metrics.push_back(*compare::metric_named(name));
  return metrics;
}

Numbers numbers_in(const compare::Part& part, compare::Kind kind) {
  Numbers numbers;
  std::size_t at = 0;
  for (std::size_t m = 0; m < kMetrics; ++m)
    for (std::size_t i = 0; i < sources_of(m, kind).size(); ++i, ++at)
      if (!numbers[m] && part.numbers[at]) numbers[m] = part.numbers[at]->value;
  return numbers;
}

// CPU time per I/O of all jobs with this name. A result of another program without it has 0.
std::optional<double> cpu_ns_per_io(const result::Run& run, const std::string* job) {
  double cpu_ns = 0, ios = 0;
  for (const auto& one : run.jobs) {
    if (job != nullptr && one.name != *job) continue;
    cpu_ns += (one.usr_cpu_percent + one.sys_cpu_percent) / 100 * static_cast<double>(one.job_runtime_ms) * 1e6;
    for (const auto& dir : one.dirs) ios += static_cast<double>(dir.ios);
  }
  return cpu_ns > 0 && ios > 0 ? std::optional(cpu_ns / ios) : std::nullopt;
}

// Parts of one name and direction have numbers: a#2, a#3.
void tell_apart(std::vector<Part>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto name = parts[i].job;
    unsigned same = 1;
    for (std::size_t k = i + 1; k < parts.size(); ++k)
      if (parts[k].job == name && parts[k].direction == parts[i].direction)
        parts[k].job = fmt::format("{}#{}", name, ++same);
  }
}

struct RunParts {
  std::uint64_t time_epoch_ms = 0;  // 0: unknown
  Numbers whole;
  std::vector<Part> parts;
};

RunParts parts_of(const result::Run& run) {
  const auto kind = compare::kind_of(run);
  const auto numbers = compare::numbers_of(run, metrics_of(kind));
  const auto& found = numbers.parts;
  RunParts out;
  out.time_epoch_ms = numbers.time_epoch_ms;
  out.whole = numbers_in(found[0], kind);
  out.whole[kMetrics - 1] = cpu_ns_per_io(run, nullptr);
  for (const auto& part : found)
    if (!part.direction.empty()) out.parts.push_back({part.job, part.direction, numbers_in(part, kind)});
  std::vector<std::string> names;
  for (const auto& part : out.parts)
    if (std::find(names.begin(), names.end(), part.job) == names.end()) names.push_back(part.job);
  for (const auto& name : names) {
    const auto cpu = cpu_ns_per_io(run, &name);
    const auto is_of = [&](const Part& part) { return part.job == name; };
    if (std::count_if(out.parts.begin(), out.parts.end(), is_of) == 1)
      std::find_if(out.parts.begin(), out.parts.end(), is_of)->numbers[kMetrics - 1] = cpu;
    else if (cpu)
      out.parts.push_back({name, std::string(kAllDirections), {std::nullopt, std::nullopt, std::nullopt, cpu}});
  }
  tell_apart(out.parts);
  return out;
}

// The median over the repetitions that have the number.
Numbers medians(const std::vector<Numbers>& all) {
  Numbers out;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    std::vector<double> values;
    for (const auto& numbers : all)
      if (numbers[m]) values.push_back(*numbers[m]);
    if (!values.empty()) out[m] = stats::changes::median_of(values);
  }
  return out;
}

RunParts parts_of_repetitions(const std::vector<result::Run>& repetitions) {
  std::vector<RunParts> each;
  each.reserve(repetitions.size());
  for (const auto& repetition : repetitions) each.push_back(parts_of(repetition));
  RunParts out = each[0];
  std::vector<Numbers> whole;
  whole.reserve(each.size());
  for (const auto& one : each) whole.push_back(one.whole);
  out.whole = medians(whole);
  for (auto& part : out.parts) {
    std::vector<Numbers> same;
    for (const auto& one : each)
      for (const auto& other : one.parts)
        if (other.job == part.job && other.direction == part.direction) same.push_back(other.numbers);
    part.numbers = medians(same);
  }
  return out;
}

std::string joined_facts(const std::vector<result::DeviceFacts>& devices, std::string result::DeviceFacts::*fact) {
  std::vector<std::string> values;
  for (const auto& device : devices)
    if (const auto& value = device.*fact;
        !value.empty() && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string program_text(const result::Program& program) {
  if (program.version.empty()) return "";
  return program.name + " " + program.version + (program.commit.empty() ? "" : " (" + program.commit + ")");
}

Environment environment_of(const result::Run& run) {
  const auto& host = run.host;
  const auto number = [](std::uint64_t value) { return value == 0 ? std::string() : fmt::format("{}", value); };
  return {host.hostname,
          host.kernel,
          host.machine,
          host.cpu_model,
          number(host.cpus_allowed > 0 ? host.cpus_allowed : host.cpus_online),
          host.memory_bytes == 0 ? "" : base::text::size_text(host.memory_bytes),
          host.distribution,
          host.hypervisor,
          host.governor,
          joined_facts(host.devices, &result::DeviceFacts::disk),
          joined_facts(host.devices, &result::DeviceFacts::file_system),
          program_text(run.program)};
}

std::string sizes_of(const result::Job& job) {
  std::uint64_t least = 0, most = 0;
  for (std::size_t d = 0; d < kDirs; ++d) {
    if (job.dirs[d].ios == 0 || job.bs_min[d] == 0) continue;
    least = least == 0 ? job.bs_min[d] : std::min(least, job.bs_min[d]);
    most = std::max(most, job.bs_max[d]);
  }
  if (least == 0) return "";
  return least == most ? base::text::size_text(least)
                       : fmt::format("{} to {}", base::text::size_text(least), base::text::size_text(most));
}

std::string workload_of(const result::Run& run) {
  std::vector<std::string> words;
  if (run.paging) {
    words = {run.paging->pattern, base::text::size_text(run.paging->set_bytes)};
  } else if (!run.jobs.empty()) {
    const auto& job = run.jobs[0];
    words = {job.rw, sizes_of(job), job.engine};
    if (job.iodepth > 1) words.push_back(fmt::format("iodepth {}", job.iodepth));
    if (job.members > 1) words.push_back(fmt::format("{} jobs", job.members));
  }
  std::erase(words, "");
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string title_of(const result::Run& run) {
  if (run.paging) return "paging " + run.paging->pattern;
  if (run.jobs.empty()) return "";
  std::vector<std::string> names;
  for (const auto& job : run.jobs)
    if (std::find(names.begin(), names.end(), job.name) == names.end()) names.push_back(job.name);
  return names.size() == 1 ? names[0] : fmt::format("{} and {} more", names[0], names.size() - 1);
}

// Why a run, or the first of its repetitions that has a reason, is unfit.
std::string unfit_of(const result::Run& run) {
  if (run.repetitions.empty()) return compare::unfit(run);
  for (const auto& repetition : run.repetitions)
    if (auto why = compare::unfit(repetition); !why.empty()) return why;
  return run.interrupted ? "the run was interrupted" : "";
}

std::string id_of_text(std::string_view text) {
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  return fmt::format("text-{:08x}-{:x}", sum, text.size());
}

}  // namespace

Entry entry_of(const result::Run& run, std::string_view text) {
  Entry entry;
  entry.run_id = run.run_id.empty() ? id_of_text(text) : run.run_id;
  entry.title = title_of(run);
  entry.workload = workload_of(run);
  entry.command = base::text::command_text(run.program.argv);
  entry.checks = name(result::sums::checks_of(run, run.repetitions).all);
  entry.unfit = unfit_of(run);
  entry.environment = environment_of(run);
  auto parts = run.repetitions.empty() ? parts_of(run) : parts_of_repetitions(run.repetitions);
  entry.time_epoch_ms = run.time_epoch_ms > 0 ? run.time_epoch_ms : parts.time_epoch_ms;
  entry.whole = parts.whole;
  entry.parts = std::move(parts.parts);
  if (entry.parts.empty() && !run.jobs.empty())
    entry.parts.push_back({run.jobs[0].name, std::string(kAllDirections), {}});
  if (run.paging)
    for (auto& part : entry.parts) part.job = entry.title;
  return entry;
}

}  // namespace fathom::history
