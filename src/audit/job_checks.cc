// Checks of one job's numbers. A number that does not exist (no I/O, no runtime) raises no doubt here: the report shows
// it as missing.
#include <fmt/format.h>

#include <algorithm>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"

namespace fathom::audit {
namespace {

using result::Severity;
constexpr double kMiB = 1 << 20;

double seconds(const result::Direction& dir) { return static_cast<double>(dir.runtime_ns) / 1e9; }

double mean_clat_ns(const result::Job& job) {
  double sum = 0, n = 0;
  for (const auto& dir : job.dirs) {
    sum += static_cast<double>(dir.clat.moments_ns.sum);
    n += static_cast<double>(dir.clat.moments_ns.n);
  }
  return n > 0 ? sum / n : 0;
}

struct Kept {
  double asked = 0, achieved = 0;
  const char* unit = "";
  bool missed(double due) const {
    const double kept = due < static_cast<double>(kFewestIosOfAShare) ? kRateKeptOfFew : kRateKept;
    return asked > 0 && achieved < kept * asked;
  }
};

Kept kept_of(const result::Rate& rate, const result::Direction& dir, std::size_t d) {
  const double s = seconds(dir);
  if (rate.asked_iops[d] > 0) return {rate.asked_iops[d], static_cast<double>(dir.ios) / s, "IOPS"};
  return {rate.asked_bytes_per_s[d] / kMiB, static_cast<double>(dir.bytes) / s / kMiB, "MiB/s"};
}

// How many I/Os were due in the direction's time; a rate in bytes is counted in I/Os of the mean size.
double due_ios(const result::Rate& rate, const result::Direction& dir, std::size_t d) {
  const double iops = rate.asked_iops[d] > 0 ? rate.asked_iops[d]
                      : dir.bytes > 0
                          ? rate.asked_bytes_per_s[d] * static_cast<double>(dir.ios) / static_cast<double>(dir.bytes)
                          : 0;
  return iops * seconds(dir);
}

}  // namespace

void check_runtime(const result::Run&, const result::Job& job, Findings& out) {
  double longest = 0;
  for (const auto& dir : job.dirs) longest = std::max(longest, seconds(dir));
  if (!moved_data(job) || longest >= kShortestRun_s) return;
  out.push_back({"run.too_short", Severity::note, job.name, fmt::format("measured for {:.3f} s", longest),
                 "let the job run longer: a larger size=, or time_based with runtime="});
}

void check_page_cache(const result::Run& run, const result::Job& job, Findings& out) {
  const auto& reads = job.dirs[0];
  if (reads.bytes == 0 || !job.traits.needs_files || !job.traits.no_block_layer.empty() || is_direct(run, job)) return;
  for (const auto* device : devices_of(run, job)) {
    if (device->disk.empty()) continue;
    const std::string place = device->file_system.empty() ? device->disk : device->file_system + " on " + device->disk;
    out.push_back(
        {"run.page_cache", Severity::note, job.name,
         fmt::format(
             "reads may come from memory: {:.1f} MiB read through the page cache from {}, with {:.0f} MiB of memory",
             static_cast<double>(reads.bytes) / kMiB, place, static_cast<double>(run.host.memory_bytes) / kMiB),
         "add direct=1 to measure the device"});
    return;
  }
}

void check_stamps(const result::Run&, const result::Job& job, Findings& out) {
  const double clat_ns = mean_clat_ns(job);
  const double width_ns = std::max(job.stamps.submit.mean_ns, job.stamps.reap.mean_ns);
  if (clat_ns <= 0 || width_ns <= kWidthShareOfClat * clat_ns) return;
  out.push_back(
      {"stamps.width", Severity::note, job.name,
       fmt::format("one clock reading stands for {:.0f} ns of submitting and {:.0f} ns of reaping (means) at a mean "
                   "completion latency of {:.0f} ns",
                   job.stamps.submit.mean_ns, job.stamps.reap.mean_ns, clat_ns),
       "use smaller batches (iodepth_batch_submit, iodepth_batch_complete_max) or a lower iodepth for exact "
       "latencies"});
}

void check_rate(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.rate.paced) return;
  double ios = 0;
  bool missed = false;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    ios += static_cast<double>(dir.ios);
    if (dir.runtime_ns == 0 || due_ios(job.rate, dir, d) < static_cast<double>(kFewestPacedIos)) continue;
    const Kept kept = kept_of(job.rate, dir, d);
    if (!kept.missed(due_ios(job.rate, dir, d))) continue;
    missed = true;
    out.push_back(
        {"rate.not_kept", Severity::warning, job.name,
         fmt::format("{}: {:.1f} {} of {:.1f} asked ({:.1f} %); {} I/Os were issued late", kDirNames[d], kept.achieved,
                     kept.unit, kept.asked, 100 * kept.achieved / kept.asked, job.rate.late_ios),
         "the target or the job cannot keep this rate: ask for less, or raise iodepth or numjobs"});
  }
  const double late = static_cast<double>(job.rate.late_ios);
  if (missed || ios < static_cast<double>(kFewestPacedIos) || late <= kLateShare * ios) return;
  out.push_back({"rate.late", Severity::note, job.name,
                 fmt::format("{:.0f} of {:.0f} I/Os ({:.1f} %) were issued more than 1 ms after their intended start",
                             late, ios, 100 * late / ios),
                 "read the latency from the intended start, which contains the wait"});
}

// An NVMe device that completes what it was not given, or one thing twice. From then on no completion is sure to be of
// the command whose identifier it carries: with a duplicate, a later command may have been ended before its data moved.
void check_completions(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.queue || job.queue->unexpected == 0) return;
  out.push_back(
      {"nvme.strange_completions", result::Severity::error, job.name,
       fmt::format("{} completion{} of the device carried the identifier of no command in flight: it completed "
                   "a command twice, or one that it was never given",
                   job.queue->unexpected, job.queue->unexpected == 1 ? "" : "s"),
       "do not believe what this run counted, nor what it read: the device, its firmware or its server is at "
       "fault"});
}

}  // namespace fathom::audit
