// Checks of one job's numbers. A missing number (no I/O, no runtime) causes no warning here: the report shows that it
// is missing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"
#include "base/text/unit_text.h"
#include "result/findings/rows.h"
#include "result/measured.h"

namespace fathom::audit {
namespace {

using result::Effect;
using result::EffectOn;
using result::findings::found;
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

// The number of I/Os due in the direction's time. A rate in bytes is converted with the mean I/O size.
double due_ios(const result::Rate& rate, const result::Direction& dir, std::size_t d) {
  const double iops = rate.asked_iops[d] > 0 ? rate.asked_iops[d]
                      : dir.bytes > 0
                          ? rate.asked_bytes_per_s[d] * static_cast<double>(dir.ios) / static_cast<double>(dir.bytes)
                          : 0;
  return iops * seconds(dir);
}

// A run with only the null engine measures fathom itself. If other jobs use devices, the null engine's I/Os are
// included in the total rate.
bool is_beside_devices(const result::Run& run) {
  const auto on_device = [](const result::Job& job) {
    return job.traits.needs_files && job.traits.no_block_layer.empty() && moved_data(job);
  };
  return std::any_of(run.jobs.begin(), run.jobs.end(), on_device) ||
         std::any_of(run.group_members.begin(), run.group_members.end(), on_device);
}

}  // namespace

void check_runtime(const result::Run&, const result::Job& job, Findings& out) {
  double longest = 0;
  for (const auto& dir : job.dirs) longest = std::max(longest, seconds(dir));
  if (!moved_data(job) || longest == 0 || longest >= kShortestRun_s) return;
  const bool hardly = longest < kHardlyARun_s;
  out.push_back(found("run.too_short", {.variant = hardly ? "hardly" : "",
                                        .job = job.name,
                                        .values = {{"run_s", longest}},
                                        .effect = hardly ? std::optional(Effect{EffectOn::time, 1}) : std::nullopt}));
}

void check_page_cache(const result::Run& run, const result::Job& job, Findings& out) {
  const auto& reads = job.dirs[0];
  const auto judged = [](const result::AuditWitness& w) {
    return w.source == "process" && w.direction == "read" && w.verdict != result::Verdict::no_witness;
  };
  if (run.audit && std::any_of(run.audit->witnesses.begin(), run.audit->witnesses.end(), judged)) return;
  if (reads.bytes == 0 || !job.traits.needs_files || !job.traits.no_block_layer.empty() || is_direct(run, job)) return;
  const auto limit_bytes = run.host.memory_limit_bytes;
  const auto memory_bytes = limit_bytes > 0 ? std::min(limit_bytes, run.host.memory_bytes) : run.host.memory_bytes;
  for (const auto* device : devices_of(run, job)) {
    if (device->disk.empty()) continue;
    const std::string place = device->file_system.empty() ? device->disk : device->file_system + " on " + device->disk;
    out.push_back(found("run.page_cache", {.variant = job.traits.maps_files ? "mapped" : "",
                                           .job = job.name,
                                           .values = {{"read_mib", static_cast<double>(reads.bytes) / kMiB},
                                                      {"place", place},
                                                      {"memory_mib", static_cast<double>(memory_bytes) / kMiB}}}));
    return;
  }
}

// The accessed data fits into the machine's memory, but exceeds half of the memory limit of the run's cgroup.
void check_memory_limit(const result::Run& run, const result::Job& job, Findings& out) {
  const auto limit_bytes = static_cast<double>(run.host.memory_limit_bytes);
  const auto memory_bytes = static_cast<double>(run.host.memory_bytes);
  if (limit_bytes == 0 || !job.traits.needs_files || !job.traits.no_block_layer.empty() || is_direct(run, job)) return;
  double moved_bytes = 0;
  for (const auto& dir : job.dirs) moved_bytes += static_cast<double>(dir.moved_bytes);
  const double accessed_bytes = std::min(static_cast<double>(job.delivery.window_bytes), moved_bytes);
  if (accessed_bytes <= limit_bytes / 2 || accessed_bytes >= memory_bytes) return;
  out.push_back(
      found("memory.max", {.job = job.name,
                           .values = {{"limit_mib", limit_bytes / kMiB},
                                      {"accessed_mib", accessed_bytes / kMiB},
                                      {"memory_mib", memory_bytes / kMiB}},
                           .effect = Effect{EffectOn::bytes, std::max(0.0, 1 - limit_bytes / (2 * accessed_bytes))}}));
}

// The findings of the run are about shares of all bytes, and one job may have few of them. The kernel's accounting of
// the job's process shows what that job read from devices. File systems that store other bytes than the file's are
// excluded.
void check_unread(const result::Run& run, const result::Job& job, Findings& out) {
  constexpr std::string_view kPlain = " ext2 ext3 ext4 xfs  ";  // the last: a device itself
  const auto& account = job.process_io;
  const bool through_blocks = job.traits.needs_files && job.traits.no_block_layer.empty();
  if (!account.readable || job.thread || !through_blocks || job.dirs[1].moved_ios > 0 || job.dirs[2].moved_ios > 0)
    return;
  for (const auto* device : devices_of(run, job))
    if (device->disk.empty() || kPlain.find(" " + device->file_system + " ") == std::string_view::npos) return;
  const auto moved = static_cast<double>(job.dirs[0].moved_bytes);
  const double missing = moved - static_cast<double>(account.read_bytes);
  double all = 0;
  for (const auto* one : single_jobs(run)) all += static_cast<double>(one->dirs[0].moved_bytes);
  if (missing < kNoDeviceShare * moved || missing > kFromCacheShare * all || missing < kMiB) return;
  out.push_back(found("audit.job_unread", {.variant = is_direct(run, job) ? "direct" : "",
                                           .job = job.name,
                                           .values = {{"missing_bytes", missing}, {"expected_bytes", moved}},
                                           .effect = Effect{EffectOn::bytes, missing / moved}}));
}

void check_stamps(const result::Run&, const result::Job& job, Findings& out) {
  const double clat_ns = mean_clat_ns(job);
  const double width_ns = std::max(job.stamps.submit.mean_ns, job.stamps.reap.mean_ns);
  if (clat_ns <= 0 || width_ns <= kWidthShareOfClat * clat_ns) return;
  out.push_back(found(
      "stamps.width",
      {.job = job.name,
       .values = {{"submit_ns", job.stamps.submit.mean_ns}, {"reap_ns", job.stamps.reap.mean_ns}, {"clat_ns", clat_ns}},
       .effect = Effect{EffectOn::latency, width_ns / clat_ns}}));
}

void check_rate(const result::Run& run, const result::Job& job, Findings& out) {
  if (!job.rate.paced) return;
  double ios = 0;
  bool missed = false;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    ios += static_cast<double>(dir.ios);
    const double due = due_ios(job.rate, dir, d), lacking = due - static_cast<double>(dir.ios);
    if (dir.runtime_ns == 0) continue;
    const Kept kept = kept_of(job.rate, dir, d);
    if (due < static_cast<double>(kFewestPacedIos)) {
      const bool by_chance = option(run, job, "rate_process") == "poisson";
      if (lacking < std::max(kFewestLackingIos, by_chance ? 3 * std::sqrt(due) : 0)) continue;
      missed = true;
      out.push_back(found("rate.not_kept", {.variant = "few",
                                            .job = job.name,
                                            .values = {{"direction", kDirNames[d]},
                                                       {"ios", dir.ios},
                                                       {"due", std::round(due)},
                                                       {"late_ios", job.rate.late_ios}},
                                            .effect = Effect{EffectOn::time, lacking / due}}));
      continue;
    }
    if (!kept.missed(due)) continue;
    missed = true;
    out.push_back(found("rate.not_kept", {.variant = option(run, job, "thinktime") ? "thinktime" : "",
                                          .job = job.name,
                                          .values = {{"direction", kDirNames[d]},
                                                     {"achieved", kept.achieved},
                                                     {"unit", kept.unit},
                                                     {"requested", kept.asked},
                                                     {"kept_percent", 100 * kept.achieved / kept.asked},
                                                     {"late_ios", job.rate.late_ios}},
                                          .effect = Effect{EffectOn::time, 1 - kept.achieved / kept.asked}}));
  }
  const double late = static_cast<double>(job.rate.late_ios);
  if (missed || ios < static_cast<double>(kFewestPacedIos) || late <= kLateShare * ios) return;
  out.push_back(found("rate.late", {.job = job.name,
                                    .values = {{"late_ios", late}, {"ios", ios}, {"late_percent", 100 * late / ios}}}));
}

// latency_target=: the reported numbers may include measured intervals in which the search used too high a depth.
void check_latency_target(const result::Run&, const result::Job& job, Findings& out) {
  const auto& target = job.latency_target;
  if (target.target_ns == 0 || job.error != 0) return;
  // A latency in the same bucket as the target met it.
  const auto limit_ns = static_cast<std::uint64_t>((1 + stats::kRelativeError) * static_cast<double>(target.target_ns));
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const auto& histogram = dir.lat.moments_ns.n > 0 ? dir.lat.histogram_ns : dir.clat.histogram_ns;
    if (histogram.empty()) continue;
    const auto kept = static_cast<double>(histogram.count_up_to(limit_ns));
    const double kept_percent = 100 * kept / static_cast<double>(histogram.total());
    if (kept_percent >= target.percentile) continue;
    const double target_ns = static_cast<double>(target.target_ns);
    out.push_back(
        found("rate.latency_target", {.job = job.name,
                                      .values = {{"direction", kDirNames[d]},
                                                 {"kept_percent", kept_percent},
                                                 {"target", base::text::unit_text(target_ns, base::text::kTime)},
                                                 {"target_ns", target.target_ns},
                                                 {"requested_percent", target.percentile}},
                                      .effect = Effect{EffectOn::bytes, 1 - kept_percent / 100}}));
  }
}

// A task stopped by a CPU limit counts as ready. That part of its wait is due to the limit, which has a separate
// finding.
void check_cpu_wait(const result::Run& run, const result::Job& job, Findings& out) {
  if (!job.cpu_wait_percent || job.traits.fake_time) return;
  if (static_cast<double>(job.job_runtime_ms) < 1000 * kHardlyARun_s) return;
  double limited = 0;
  for (const auto& finding : run.findings)
    if (finding.id == "cpu.max" && finding.effect) limited = std::max(limited, finding.effect->value);
  const double wait = *job.cpu_wait_percent / 100 - limited;
  if (wait <= kCpuWaitShare) return;
  out.push_back(found("cpu.wait", {.job = job.name,
                                   .values = {{"wait_percent", *job.cpu_wait_percent}},
                                   .effect = Effect{EffectOn::time, std::min(1.0, wait)}}));
}

// Engines that count bytes and transfer none.
void check_no_data(const result::Run& run, const result::Job& job, Findings& out) {
  const auto& traits = job.traits;
  const bool nothing_beside = traits.does_nothing && is_beside_devices(run);
  if (!nothing_beside && (traits.keeps_data || !traits.needs_files || traits.no_block_layer.empty())) return;
  if (std::none_of(job.dirs.begin(), job.dirs.end(), [](const auto& dir) { return dir.bytes > 0; })) return;
  out.push_back(
      found("run.no_medium", {.variant = "no_data",
                              .job = job.name,
                              .values = {{"device", job.engine}, {"place", std::string(traits.no_block_layer)}},
                              .effect = Effect{EffectOn::bytes, 1}}));
}

void check_no_medium(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.queue || !moved_data(job)) return;
  for (const auto& device : job.queue->devices) {
    const bool software = device.name.starts_with("soft:");
    if (device.keeps_data && !software) continue;
    out.push_back(found("run.no_medium", {.variant = device.keeps_data ? "software" : "",
                                          .job = job.name,
                                          .values = {{"device", device.name}},
                                          .effect = Effect{EffectOn::bytes, 1}}));
    return;
  }
}

// The NVMe device completed a command that was never submitted, or one command twice. From then on, a completion may
// not belong to the command with its identifier. After a duplicate, a later command may have been completed before its
// data moved.
void check_completions(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.queue || job.queue->unexpected == 0) return;
  const auto n = job.queue->unexpected;
  out.push_back(
      found("nvme.strange_completions",
            {.job = job.name,
             .values = {{"completions", fmt::format("{} completion{}", n, n == 1 ? "" : "s")}, {"unexpected", n}}}));
}

}  // namespace fathom::audit
