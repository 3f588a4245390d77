// Compares the requested values with the achieved ones.
#include "run/outcome/delivery.h"

#include "job/fields/files.h"
#include "job/fields/flow.h"
#include "job/fields/latency_limits.h"
#include "job/fields/submit.h"

#include <fcntl.h>

#include <algorithm>

#include "base/system/direct_io.h"
#include "base/system/fd.h"
#include "io/engines.h"
#include "workload/budget.h"

namespace fathom::run::outcome {
namespace {

void collect_sizes(const job::Job& job, const records::Measured& m, result::Delivery& out) {
  if (job.depth_per_file) return;  // the loops of depth_per_file do not count sizes
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto classes = workload::places::size_classes(job, static_cast<io::Dir>(d));
    if (classes.empty()) continue;
    for (std::size_t i = 0; i < classes.size(); ++i)
      out.sizes[d].push_back({classes[i].low_bytes, classes[i].high_bytes, 100 * classes[i].share, m.size_ios[d][i]});
    out.other_ios[d] = m.size_ios[d][classes.size()];
  }
}

// Little's law: the mean number in flight is the sum of the I/Os' times in flight, divided by the elapsed time.
std::optional<double> mean_depth(const records::WorkerRecord& record) {
  unsigned __int128 sum_ns = 0;
  std::uint64_t n = 0;
  for (const auto& dir : record.measured.dirs) {
    const auto& sums = dir.lat.moments.n > 0 ? dir.lat : dir.clat;
    sum_ns += sums.moments.sum;
    n += sums.moments.n;
  }
  const std::uint64_t elapsed_ns = record.flying_ns.load() + record.read_back_ns;
  if (n == 0 || elapsed_ns == 0) return std::nullopt;
  sum_ns += record.measured.sync_lat.moments.sum;
  return static_cast<double>(sum_ns) / static_cast<double>(elapsed_ns);
}

// Bytes moved in the directions that the job uses. For a job that only writes, this excludes the reads that verify.
std::uint64_t done_bytes(const job::Job& job, const records::WorkerRecord& record) {
  std::uint64_t bytes = 0;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const bool asked[] = {job.mode.reads, job.mode.writes, job.mode.trims};
    if (asked[d]) bytes += record.ramp_bytes[d] + record.measured.done.bytes[d].get();
  }
  return bytes;
}

// The requested number of bytes, even if the targets are smaller. fill_device without size= requests no number of
// bytes.
std::uint64_t asked_bytes(const job::Job& job, std::uint64_t window_bytes) {
  const bool until_full = job.of<job::fields::FileOptions>().fill_device && !job.size.set;
  if (job.number_ios != 0 || until_full || job.replays) return 0;
  return workload::bytes_to_move(job, job.size.set && job.size.percent <= 0 ? job.size.bytes : window_bytes, 0);
}

bool always_synced(const files::Plan& plan) {
  return !io::traits_of(plan.job.ioengine).maps_files &&
         std::all_of(plan.targets.begin(), plan.targets.end(), [](const auto& t) {
           const base::system::UniqueFd fd(::open(t.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
           return base::system::is_always_synced(fd.get());
         });
}

// True for a job that writes through the page cache and never waits for the device within its run time: neither in an
// I/O nor at its end. fsync=N waits only after N writes. The syncs of verify=, and of fsync_on_close=1 with one file,
// come after the run time.
bool never_synced(const files::Plan& plan, const records::WorkerRecord& record) {
  const auto& job = plan.job;
  const auto& files = job.of<job::fields::FileOptions>();
  const bool cached = std::any_of(plan.targets.begin(), plan.targets.end(), [](const auto& t) {
    return t.kind == io::TargetKind::regular || t.kind == io::TargetKind::block;
  });
  // O_SYNC does not affect stores to a mapping.
  const bool sync_writes = job.sync_mode != job::SyncMode::none && !io::traits_of(job.ioengine).maps_files;
  const bool waits = job.direct || sync_writes || record.measured.sync_ios.get() > 0 || job.end_fsync ||
                     (files.fsync_on_close && plan.targets.size() > 1) || files.end_syncfs;
  return job.mode.writes && cached && !waits && !always_synced(plan);
}

}  // namespace

std::uint64_t asked_depth(const files::Plan& plan) {
  const std::uint64_t queues = plan.job.depth_per_file ? std::max<std::size_t>(plan.targets.size(), 1) : 1;
  return std::max<std::uint64_t>(plan.job.iodepth, 1) * queues;
}

result::Delivery delivery_of(const files::Plan& plan, const records::WorkerRecord& record, const DepthSamples& depth) {
  const auto& job = plan.job;
  result::Delivery out;
  if (plan.failed) {  // a failed job requests nothing
    out.asked_depth = 0;
    return out;
  }
  collect_sizes(job, record.measured, out);
  // Reads that verify count as reads of the job.
  if (job.mode.mixed() && !job.paced() && !job.verify) out.asked_read_percent = job.rwmix_read_percent;
  out.asked_depth = asked_depth(plan);
  const auto& submit = job.of<job::fields::Submit>();
  const auto& traits = io::traits_of(job.ioengine);
  const bool waits = !traits.asynchronous || (traits.blocks_buffered && !job.direct) ||
                     (traits.one_io_per_file && plan.targets.size() == 1);
  out.synchronous = waits && !submit.offload && out.asked_depth > 1;
  out.depth_held_down = job.paced() || job.thinktime_ns != 0 || job.iodepth_low != 0 || job.verify ||
                        job.of<job::fields::LatencyTarget>().target_ns != 0 ||
                        job.of<job::fields::Flow>().weight != 0 || submit.serialize || submit.claims();
  out.mean_depth = mean_depth(record);
  out.depth_samples = depth.looks;
  out.full_samples = depth.full;
  for (const auto& t : plan.targets) out.window_bytes += t.length;
  out.asked_bytes = asked_bytes(job, out.window_bytes);
  if (job.size.set && job.size.percent <= 0) out.asked_size_bytes = job.size.bytes;
  out.done_bytes = done_bytes(job, record);
  // with both, done_bytes includes the reads that verify
  out.work_done = record.work_done && !(job.verify && job.mode.reads);
  out.pre_read_bytes = record.pre_read_bytes;
  if (never_synced(plan, record)) {
    const std::size_t writes = io::index(io::Dir::write);
    out.unsynced_bytes = record.ramp_bytes[writes] + record.measured.done.bytes[writes].get();
  }
  return out;
}

void merge_delivery(result::Delivery& into, const result::Delivery& from) {
  if (from.asked_depth == 0) return;
  if (into.asked_depth == 0) {
    into = from;
    return;
  }
  for (std::size_t d = 0; d < into.sizes.size(); ++d) {
    const auto same = [](const auto& a, const auto& b) {
      return a.low_bytes == b.low_bytes && a.high_bytes == b.high_bytes && a.asked_percent == b.asked_percent;
    };
    if (!std::equal(into.sizes[d].begin(), into.sizes[d].end(), from.sizes[d].begin(), from.sizes[d].end(), same))
      into.sizes[d].clear();
    for (std::size_t i = 0; i < into.sizes[d].size(); ++i) into.sizes[d][i].ios += from.sizes[d][i].ios;
    into.other_ios[d] = into.sizes[d].empty() ? 0 : into.other_ios[d] + from.other_ios[d];
  }
  if (into.asked_read_percent != from.asked_read_percent) into.asked_read_percent.reset();
  into.asked_depth += from.asked_depth;
  into.synchronous |= from.synchronous;
  into.depth_held_down |= from.depth_held_down;
  if (into.mean_depth)
    into.mean_depth = from.mean_depth ? std::optional(*into.mean_depth + *from.mean_depth) : std::nullopt;
  into.depth_samples += from.depth_samples;
  into.full_samples += from.full_samples;
  into.asked_bytes = into.asked_bytes != 0 && from.asked_bytes != 0 ? into.asked_bytes + from.asked_bytes : 0;
  into.asked_size_bytes += from.asked_size_bytes;
  into.window_bytes += from.window_bytes;
  into.done_bytes += from.done_bytes;
  into.work_done &= from.work_done;
  into.unsynced_bytes += from.unsynced_bytes;
  into.cached_bytes += from.cached_bytes;
  into.copied_bytes += from.copied_bytes;
  into.pre_read_bytes += from.pre_read_bytes;
  if (into.direct_ignored.empty()) into.direct_ignored = from.direct_ignored;
}

}  // namespace fathom::run::outcome
