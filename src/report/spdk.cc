// SPDK perf's table, for scripts that read it: one row per device and thread, and a line that begins with `Total`. -L
// adds the summary of latencies by its cutoffs, -LL also their histogram. Like every format, it is a pure function of a
// Run: it works for any job with queue pairs.
#include <fmt/format.h>

#include <algorithm>

#include "report/formats.h"
#include "report/parts/derived.h"
#include "report/parts/shown.h"
#include "result/measured.h"
#include "result/sums/queue_rates.h"
#include "stats/percentiles.h"

namespace fathom::report {
namespace {

using result::DeviceRow;
using result::kNoPcieDevice;
using result::on_pcie;

constexpr const char* kRule = "========================================================\n";
constexpr double kCutoffs[] = {1, 10, 25, 50, 75, 90, 95, 98, 99, 99.5, 99.9, 99.99, 99.999, 99.9999, 99.99999};

// "PCIE (0000:04:00.0) NSID 1 from thread 0". The namespace follows "/ns=", and on the PCI bus also "/". The default is
// the first namespace.
std::string row_name(std::string_view device, int thread) {
  constexpr std::string_view kMark = "/ns=", kUser = "vfio-user:";
  std::string_view where = device, nsid = "1";
  const auto mark = on_pcie(device) ? device.find('/') : device.rfind(kMark);
  if (mark != std::string_view::npos) {
    where = device.substr(0, mark);
    nsid = device.substr(std::min(device.size(), device.find_first_of("0123456789", mark)));
  }
  const bool user = where.starts_with(kUser);
  const char* kind = on_pcie(device) ? "PCIE" : user ? "VFIOUSER" : "SOFT";
  if (user) where.remove_prefix(kUser.size());
  return fmt::format("{} ({}) NSID {} from thread {:2}", kind, where, nsid, thread);
}

std::vector<DeviceRow> rows_of(const result::Job& job) {
  auto rows = result::device_rows(job);
  if (rows.empty()) rows = {result::total_row(job)};
  for (auto& row : rows)
    row.name = row.name == "total" ? fmt::format("{} from thread {:2}", job.name, job.job_number)
                                   : row_name(row.name, job.job_number);
  return rows;
}

std::string line(const DeviceRow& row, std::string_view name, std::size_t width) {
  return fmt::format("{:<{}}: {:10.2f} {:10.2f} {:10.2f} {:10.2f} {:10.2f}\n", name, width, row.iops,
                     row.bytes_per_s / (1 << 20), row.mean_ns / 1e3, static_cast<double>(row.min_ns) / 1e3,
                     static_cast<double>(row.max_ns) / 1e3);
}

std::string table(const result::Run& run) {
  std::vector<DeviceRow> rows;
  for (const auto* job : result::single_jobs(run)) {
    auto own = rows_of(*job);
    rows.insert(rows.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  std::size_t width = 38;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  std::string out = kRule;
  out += fmt::format("{:>{}}\n", "Latency(us)", width + 47);
  out += fmt::format("{:<{}}: {:>10} {:>10} {:>10} {:>10} {:>10}\n", "Device Information", width, "IOPS", "MiB/s",
                     "Average", "min", "max");
  for (const auto& row : rows) out += line(row, row.name, width);
  return out + kRule + line(sum_of(rows), "Total", width) + "\n";
}

std::string whose(const result::Job& job) {
  const bool one = job.queue && job.queue->devices.size() == 1;
  return one ? row_name(job.queue->devices[0].name, job.job_number)
             : fmt::format("all devices from thread {:2}", job.job_number);
}

result::Latency latencies(const result::Job& job) {
  result::Latency all;
  for (const auto& dir : job.dirs) {
    const auto& of = dir.lat.histogram_ns.empty() ? dir.clat : dir.lat;
    all.histogram_ns.merge(of.histogram_ns);
    all.moments_ns.merge(of.moments_ns);
  }
  return all;
}

std::string summary(const result::Job& job) {
  std::string out = fmt::format("Summary latency data for {}:\n{}", whose(job), kRule);
  const auto all = latencies(job);
  const auto values = stats::percentiles_within(all.histogram_ns, all.moments_ns, kCutoffs);
  const bool unknown = all.histogram_ns.empty() && all.moments_ns.n > 0;
  for (std::size_t i = 0; i < std::size(kCutoffs); ++i)
    out += unknown ? fmt::format("{:9.5f}% : {:>11}\n", kCutoffs[i], "-")
                   : fmt::format("{:9.5f}% : {:9.3f}us\n", kCutoffs[i], static_cast<double>(values[i]) / 1e3);
  return out + "\n";
}

std::string ranges(const result::Job& job) {
  std::string out =
      fmt::format("Latency histogram for {}:\n{}       Range in us     Cumulative    IO count\n", whose(job), kRule);
  const auto histogram = latencies(job).histogram_ns;
  std::uint64_t so_far = 0;
  for (const auto& bin : histogram.bins()) {
    so_far += bin.count;
    out +=
        fmt::format("{:9.3f} - {:9.3f}: {:9.4f}%  ({:9})\n", static_cast<double>(stats::bucket_begin(bin.bucket)) / 1e3,
                    static_cast<double>(stats::bucket_end(bin.bucket)) / 1e3,
                    100.0 * static_cast<double>(so_far) / static_cast<double>(histogram.total()), bin.count);
  }
  return out + "\n";
}

// The counts of SPDK's --transport-stats, with its names, over all queue pairs of a thread. `queued_requests` counts
// requests that waited for a slot.
std::string statistics(const result::Job& job) {
  if (!job.queue) return "";
  const auto& q = *job.queue;
  struct Row {
    const char* name;
    std::uint64_t count;
  };
  const Row rows[] = {{"polls", q.polls},
                      {"idle_polls", q.idle_polls},
                      {"completions", q.completions},
                      {"sq_doorbell_updates", q.sq_doorbells},
                      {"cq_doorbell_updates", q.cq_doorbells},
                      {"submitted_requests", q.commands},
                      {"queued_requests", q.waited}};
  std::string out = fmt::format("Transport statistics of {} ({} queue pairs):\n", job.name, q.queue_pairs);
  for (const auto& row : rows) out += fmt::format("  {:<20} {}\n", std::string(row.name) + ":", row.count);
  return out;
}

std::string each_job(const result::Run& run, std::string (*text)(const result::Job&)) {
  std::string out;
  for (const auto* job : result::single_jobs(run)) out += text(*job);
  return out;
}

// The table has no column for a warning, and without it the numbers would be misleading.
std::string remarks(const result::Run& run) {
  const auto jobs = result::single_jobs(run);
  const bool software = std::any_of(
      jobs.begin(), jobs.end(), [](const result::Job* job) { return job->queue && !queue_rates(*job->queue).pcie; });
  const bool untimed = std::any_of(jobs.begin(), jobs.end(), [](const result::Job* job) {
    const auto total = result::total_row(*job);
    return total.iops > 0 && !total.timed();
  });
  return std::string(untimed ? "latencies were not measured (gtod_reduce)\n" : "") +
         (software ? std::string(kNoPcieDevice) + "\n" : "");
}

}  // namespace

std::string spdk(const result::Run& as_it_is) {
  const auto run = parts::shown(as_it_is);
  return table(run) + remarks(run);
}

std::string spdk_summary(const result::Run& as_it_is) {
  const auto run = parts::shown(as_it_is);
  return table(run) + each_job(run, summary) + remarks(run);
}

std::string spdk_histogram(const result::Run& as_it_is) {
  const auto run = parts::shown(as_it_is);
  return table(run) + each_job(run, summary) + each_job(run, ranges) + remarks(run);
}

std::string spdk_statistics(const result::Run& as_it_is) {
  const auto run = parts::shown(as_it_is);
  return "\n" + each_job(run, statistics);
}

}  // namespace fathom::report
