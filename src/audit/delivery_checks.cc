// Compares what a job requested with what it achieved. Shares of few I/Os have no meaning: below 1000 I/Os, a share is
// not judged. Facts that need no counting are reported for every run: a depth that the engine cannot have, a size that
// exceeds the target.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

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

double share_percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string size_text(const result::SizeShare& share) {
  if (share.low_bytes == share.high_bytes) return fmt::format("blocks of {} bytes", share.low_bytes);
  return fmt::format("blocks of {} to {} bytes", share.low_bytes, share.high_bytes);
}

// Each I/O has an independent random size and direction. A deviation of this number of points is chance (four standard
// deviations).
double chance_points(double percent, std::uint64_t ios) {
  return 400 * std::sqrt(percent / 100 * (1 - percent / 100) / static_cast<double>(ios));
}

// Such a disk completes an I/O within the call that submits it.
bool is_memory(std::string_view disk) { return disk.starts_with("zram") || disk.starts_with("ram"); }

std::uint64_t all_ios(const result::Job& job) {
  std::uint64_t ios = 0;
  for (const auto& dir : job.dirs) ios += dir.ios;
  return ios;
}

}  // namespace

void check_delivered_sizes(const result::Run&, const result::Job& job, Findings& out) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& shares = job.delivery.sizes[d];
    std::uint64_t ios = job.delivery.other_ios[d];
    for (const auto& share : shares) ios += share.ios;
    if (ios < kFewestIosOfAShare) continue;
    const auto off = [&](const auto& share) {
      const double points = std::abs(share_percent(share.ios, ios) - share.asked_percent);
      return points <= chance_points(share.asked_percent, ios) ? 0 : points;
    };
    const auto worst =
        std::max_element(shares.begin(), shares.end(), [&](const auto& a, const auto& b) { return off(a) < off(b); });
    if (worst == shares.end() || off(*worst) <= kSizeSharePoints) continue;
    out.push_back(found("delivery.sizes", {.job = job.name,
                                           .values = {{"direction", kDirNames[d]},
                                                      {"blocks", size_text(*worst)},
                                                      {"share_percent", share_percent(worst->ios, ios)},
                                                      {"ios", ios},
                                                      {"requested_percent", worst->asked_percent}},
                                           .effect = Effect{EffectOn::bytes, off(*worst) / 100}}));
  }
}

void check_delivered_mix(const result::Run&, const result::Job& job, Findings& out) {
  const auto& asked = job.delivery.asked_read_percent;
  const std::uint64_t reads = job.dirs[0].ios, ios = all_ios(job);
  if (!asked || ios < kFewestIosOfAShare) return;
  const double percent = share_percent(reads, ios);
  if (std::abs(percent - *asked) <= std::max(kMixPoints, chance_points(*asked, ios))) return;
  out.push_back(
      found("delivery.mix", {.job = job.name,
                             .values = {{"read_percent", percent}, {"ios", ios}, {"requested_percent", *asked}},
                             .effect = Effect{EffectOn::bytes, std::abs(percent - *asked) / 100}}));
}

void check_delivered_depth(const result::Run&, const result::Job& job, Findings& out) {
  const auto& delivery = job.delivery;
  if (delivery.synchronous) {
    out.push_back(found("delivery.synchronous",
                        {.variant = job.traits.one_io_per_file   ? "per_file"
                                    : job.traits.blocks_buffered ? "buffered"
                                                                 : "",
                         .job = job.name,
                         .values = {{"requested_depth", job.iodepth}, {"engine", job.engine}},
                         .effect = Effect{EffectOn::time, 1 - 1 / std::max(1.0, static_cast<double>(job.iodepth))}}));
    return;
  }
  if (delivery.asked_depth <= 1 || !delivery.mean_depth || delivery.depth_held_down) return;
  if (all_ios(job) < std::max(kFewestIosOfAShare, kRoundsOfADepth * delivery.asked_depth)) return;
  const double asked = static_cast<double>(delivery.asked_depth);
  if (*delivery.mean_depth >= (1 - kDepthShare) * asked) return;
  std::string looks;
  if (delivery.depth_samples > 0)
    looks = fmt::format("; the queue was full in {:.0f} % of {} samples",
                        share_percent(delivery.full_samples, delivery.depth_samples), delivery.depth_samples);
  out.push_back(found("delivery.depth", {.job = job.name,
                                         .values = {{"mean_depth", *delivery.mean_depth},
                                                    {"requested_depth", delivery.asked_depth},
                                                    {"looks", std::move(looks)}},
                                         .effect = Effect{EffectOn::time, 1 - *delivery.mean_depth / asked}}));
}

// Little's law at the disk. The program counts I/Os as in flight that have not reached the disk. This happens if a
// submission waits for each I/O (a write that extends its file, a discard). It also happens at a limit of the kernel's
// queue. The disk's time includes the ramp.
void check_device_depth(const result::Run& run, Findings& out) {
  if (run.disks.size() != 1 || run.jobs.empty()) return;
  double in_flight = 0, run_ms = 0;
  for (const auto& job : run.jobs) {
    const bool queued = job.traits.asynchronous && job.traits.needs_files && job.traits.no_block_layer.empty();
    if (!queued || !is_direct(run, job) || job.delivery.depth_held_down || !job.delivery.mean_depth) return;
    if (job.group_id != run.jobs[0].group_id || job.error != 0) return;
    in_flight += *job.delivery.mean_depth;
    for (const auto& dir : job.dirs) run_ms = std::max(run_ms, static_cast<double>(dir.runtime_ms));
  }
  const auto& disk = run.disks[0];
  if (in_flight < kFewestInFlight || run_ms < 1000 * kShortestRun_s || disk.in_queue_ms == 0) return;
  const double device_depth = static_cast<double>(disk.in_queue_ms) / run_ms;
  if (device_depth > kDeviceDepthShare * in_flight) return;
  out.push_back(found("delivery.depth",
                      {.variant = is_memory(disk.name) ? "memory_device" : "device",
                       .values = {{"mean_depth", in_flight}, {"disk", disk.name}, {"device_depth", device_depth}},
                       .effect = Effect{EffectOn::time, 1 - device_depth / in_flight}}));
}

void check_delivered_bytes(const result::Run&, const result::Job& job, Findings& out) {
  const auto& delivery = job.delivery;
  if (delivery.asked_size_bytes > 0 && delivery.window_bytes > 0 &&
      static_cast<double>(delivery.asked_size_bytes - std::min(delivery.asked_size_bytes, delivery.window_bytes)) >
          kLostToRounding_bytes) {
    out.push_back(found("delivery.window",
                        {.job = job.name,
                         .values = {{"requested", base::text::mib_text(delivery.asked_size_bytes)},
                                    {"window", base::text::mib_text(delivery.window_bytes)},
                                    {"requested_bytes", delivery.asked_size_bytes},
                                    {"window_bytes", delivery.window_bytes}},
                         .effect = Effect{EffectOn::bytes,
                                          1 - share_percent(delivery.window_bytes, delivery.asked_size_bytes) / 100}}));
    return;
  }
  if (!delivery.work_done || job.error != 0 || job.interrupted || all_ios(job) < kFewestIosOfAShare) return;
  if (delivery.asked_bytes == 0 || delivery.done_bytes >= delivery.asked_bytes) return;
  const double moved_percent = share_percent(delivery.done_bytes, delivery.asked_bytes);
  out.push_back(found("delivery.coverage", {.job = job.name,
                                            .values = {{"moved_bytes", delivery.done_bytes},
                                                       {"requested_bytes", delivery.asked_bytes},
                                                       {"moved_percent", moved_percent}},
                                            .effect = Effect{EffectOn::bytes, 1 - moved_percent / 100}}));
}

// The bytes that the job's disks read in addition to the reads of the run's jobs. nullopt: a disk was not counted.
std::optional<double> read_by_others(const result::Run& run, const result::Job& job) {
  if (!run.audit) return std::nullopt;
  std::set<std::string> disks;
  for (const auto* device : devices_of(run, job)) disks.insert(device->disk);
  double bytes = 0;
  for (const auto& disk : disks) {
    const auto& counts = run.audit->counts;
    const auto counted = std::find_if(counts.begin(), counts.end(), [&](const auto& count) {
      return count.source == "block" && count.subject == disk && count.name == "read_sectors";
    });
    if (counted == counts.end() || counted->lost_at_s) return std::nullopt;
    bytes += counted->value;
  }
  for (const auto* own : single_jobs(run))
    bytes -= std::max(static_cast<double>(own->dirs[0].moved_bytes), static_cast<double>(own->process_io.read_bytes)) +
             static_cast<double>(own->delivery.pre_read_bytes);
  return bytes;
}

// If other processes read at least half of the cached bytes from the disks, they filled the page cache.
void check_direct_ignored(const result::Run& run, const result::Job& job, Findings& out) {
  if (job.delivery.direct_ignored.empty()) return;
  const auto cached = static_cast<double>(job.delivery.cached_bytes);
  if (cached > 0 && read_by_others(run, job).value_or(0) >= cached / 2) return;
  const bool copied = job.delivery.copied_bytes > 0;
  out.push_back(found("delivery.direct_ignored", {.variant = copied ? "copied" : "",
                                                  .job = job.name,
                                                  .values = {{"cause", job.delivery.direct_ignored}},
                                                  .effect = Effect{EffectOn::bytes, 1}}));
}

// The kernel treats RWF_HIPRI as a hint: without poll queues, or without direct=1, it waits for the interrupt. Polled
// io_uring rings reject such I/Os instead.
void check_polled(const result::Run& run, const result::Job& job, Findings& out) {
  if (!is_on(run, job, "hipri") || option(run, job, "hipri_percentage") == "0" || !moved_data(job)) return;
  if (!job.traits.needs_files || !job.traits.no_block_layer.empty()) return;
  const bool direct = is_direct(run, job);
  for (const auto* device : devices_of(run, job)) {
    if (device->disk.empty() || (direct && !device->no_poll)) continue;
    const char* const variant = !direct ? "buffered" : is_memory(device->disk) ? "memory" : "";
    out.push_back(
        found("delivery.not_polled", {.variant = variant, .job = job.name, .values = {{"disk", device->disk}}}));
    return;
  }
}

void check_unsynced(const result::Run& run, const result::Job& job, Findings& out) {
  if (job.delivery.unsynced_bytes == 0 || !job.traits.needs_files || !job.traits.no_block_layer.empty()) return;
  const auto devices = devices_of(run, job);
  // On a mount with the option sync, each write waits for the device.
  const auto never_waits_later = [](const auto* d) {
    return d->file_system == "tmpfs" || ("," + d->mount_options + ",").find(",sync,") != std::string::npos;
  };
  if (!devices.empty() && std::all_of(devices.begin(), devices.end(), never_waits_later)) return;
  const std::string_view variant = is_on(run, job, "fsync_on_close")                 ? "fsync_on_close"
                                   : option(run, job, "verify").value_or("0") != "0" ? "verify"
                                                                                     : "";
  out.push_back(found("delivery.unsynced", {.variant = variant,
                                            .job = job.name,
                                            .values = {{"unsynced", base::text::mib_text(job.delivery.unsynced_bytes)},
                                                       {"unsynced_bytes", job.delivery.unsynced_bytes}},
                                            .effect = Effect{EffectOn::bytes, 1}}));
}

}  // namespace fathom::audit
