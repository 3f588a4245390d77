// Sums, field by field.
#include "run/records/sum_records.h"

#include <algorithm>
#include <cstring>

namespace fathom::run::records {
namespace {

template <std::size_t N, class Get>
void set_sums(Counter (&into)[N], Parts parts, const Get& get) {
  for (std::size_t i = 0; i < N; ++i) {
    std::uint64_t sum = 0;
    for (const auto* part : parts) sum += get(*part)[i].get();
    into[i].set(sum);
  }
}

template <class Get>
void set_sum(Counter& into, Parts parts, const Get& get) {
  std::uint64_t sum = 0;
  for (const auto* part : parts) sum += get(*part).get();
  into.set(sum);
}

void add(stats::RawHistogram& into, const stats::RawHistogram& from) {
  for (std::size_t i = 0; i < std::size(into.counts); ++i) into.counts[i] += from.counts[i];
}

void add(LatencySums& into, stats::RawHistogram& counts, const LatencySums& from,
         const stats::RawHistogram& from_counts) {
  if (from.moments.n == 0) return;
  into.moments.merge(from.moments);
  add(counts, from_counts);
}

void add(DirectionRecord& into, const DirectionRecord& from) {
  add(into.clat, into.clat_counts, from.clat, from.clat_counts);
  add(into.lat, into.lat_counts, from.lat, from.lat_counts);
  add(into.slat, into.slat_counts, from.slat, from.slat_counts);
  add(into.intended, into.intended_counts, from.intended, from.intended_counts);
  add(into.start_delay, into.start_delay_counts, from.start_delay, from.start_delay_counts);
}

void add(WidthRecord& into, const WidthRecord& from) {
  into.batches += from.batches;
  into.ios += from.ios;
  into.max_ios = std::max(into.max_ios, from.max_ios);
  into.sum_ns += from.sum_ns;
  into.max_ns = std::max(into.max_ns, from.max_ns);
  for (std::size_t i = 0; i < std::size(into.buckets); ++i) into.buckets[i] += from.buckets[i];
}

void add(DeviceRecord& into, const DeviceRecord& from) {
  for (std::size_t i = 0; i < std::size(into.ios); ++i) into.ios[i].add(from.ios[i].get());
  into.lat_ns_sum += from.lat_ns_sum;
  into.lat_ns_max = std::max(into.lat_ns_max, from.lat_ns_max);
  into.lat_ns_min_inverted = std::max(into.lat_ns_min_inverted, from.lat_ns_min_inverted);
}

// All but what publish_counts() sets.
void add(Measured& into, const Measured& from) {
  into.submit.alone += from.submit.alone;
  for (std::size_t i = 0; i < std::size(into.submit.level); ++i) into.submit.level[i] += from.submit.level[i];
  add(into.submit.batches, from.submit.batches);
  into.reap.alone += from.reap.alone;
  into.reap.empty += from.reap.empty;
  add(into.reap.batches, from.reap.batches);
  into.alone += from.alone;
  into.late_ios += from.late_ios;
  into.dropped_ios += from.dropped_ios;
  into.clock_steps_back += from.clock_steps_back;
  into.idle_ns += from.idle_ns;
  into.overslept_ns += from.overslept_ns;
  add(into.sync_lat, into.sync_counts, from.sync_lat, from.sync_counts);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    for (std::size_t i = 0; i < std::size(into.size_ios[d]); ++i) into.size_ios[d][i] += from.size_ios[d][i];
    add(into.dirs[d], from.dirs[d]);
  }
  for (std::size_t i = 0; i < kDeviceRecords; ++i) add(into.devices[i], from.devices[i]);
}

void add_errors(WorkerRecord& into, const WorkerRecord& from) {
  if (into.error == 0) into.error = from.error;
  if (into.first_io_error == 0) into.first_io_error = from.first_io_error;
  into.io_errors += from.io_errors;
  into.verified.add(from.verified);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) into.dry_ios[d] += from.dry_ios[d];
  into.wrong_bytes += from.wrong_bytes;
  for (std::size_t i = 0; i < from.errors_kept && into.errors_kept < kErrorRecords; ++i, ++into.errors_kept) {
    into.errors[into.errors_kept] = from.errors[i];
    std::memcpy(into.told[into.errors_kept], from.told[i], kToldBytes);
  }
  const auto passed = std::min<std::uint64_t>(from.passed_count, kPassedErrors);
  for (std::size_t i = 0; i < passed && into.passed_count + i < kPassedErrors; ++i)
    into.passed[into.passed_count + i] = from.passed[i];
  into.passed_count += from.passed_count;
  into.error_count += from.error_count;
}

void add_notes(WorkerRecord& into, const WorkerRecord& from) {
  for (const auto& note : from.note) {
    if (note[0] == 0) continue;
    for (auto& own : into.note) {
      if (std::strcmp(own, note) == 0) break;
      if (own[0] != 0) continue;
      std::memcpy(own, note, sizeof own);
      break;
    }
  }
}

void add_priorities(WorkerRecord& into, const WorkerRecord& from) {
  if (!from.by_priority) return;
  into.by_priority = true;
  for (std::size_t d = 0; d < std::size(into.priorities); ++d)
    for (std::size_t p = 0; p < kPriorityRecords; ++p) {
      auto& own = into.priorities[d][p];
      const auto& more = from.priorities[d][p];
      add(own.sums, own.counts, more.sums, more.counts);
    }
}

void add_rest(WorkerRecord& into, const WorkerRecord& from) {
  add(into.measured, from.measured);
  add_errors(into, from);
  add_notes(into, from);
  into.queue.add(from.queue);
  add_priorities(into, from);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    into.ramp_bytes[d] += from.ramp_bytes[d];
    into.ramp_ios[d] += from.ramp_ios[d];
  }
  into.elapsed_ns = std::max(into.elapsed_ns, from.elapsed_ns);
  into.job_ns = std::max(into.job_ns, from.job_ns);
  into.ended_in_ramp |= from.ended_in_ramp;
  into.user_cpu_s += from.user_cpu_s;
  into.system_cpu_s += from.system_cpu_s;
  into.cpu_wait_s += from.cpu_wait_s;
  into.cpu_wait_known |= from.cpu_wait_known;
  into.cpu_threads += from.cpu_threads;
  into.ctx_switches += from.ctx_switches;
  into.major_faults += from.major_faults;
  into.minor_faults += from.minor_faults;
}

}  // namespace

void publish_counts(WorkerRecord& into, Parts parts) {
  set_sums(
      into.measured.done.ios, parts, [](const auto& r) -> auto& { return r.measured.done.ios; });
  set_sums(
      into.measured.done.bytes, parts, [](const auto& r) -> auto& { return r.measured.done.bytes; });
  set_sums(
      into.measured.submit.issued, parts, [](const auto& r) -> auto& { return r.measured.submit.issued; });
  set_sums(
      into.measured.short_ios, parts, [](const auto& r) -> auto& { return r.measured.short_ios; });
  set_sums(
      into.measured.error_ios, parts, [](const auto& r) -> auto& { return r.measured.error_ios; });
  set_sum(
      into.measured.sync_ios, parts, [](const auto& r) -> auto& { return r.measured.sync_ios; });
  set_sum(
      into.clat_sum_ns, parts, [](const auto& r) -> auto& { return r.clat_sum_ns; });
  set_sum(
      into.clat_ios, parts, [](const auto& r) -> auto& { return r.clat_ios; });
  std::uint64_t start_ns = ~0ull;
  std::uint32_t carried_in = 0;
  for (const auto* part : parts) {
    if (const auto at = part->start_ns.load(std::memory_order_relaxed); at != 0) start_ns = std::min(start_ns, at);
    carried_in += part->carried_in.load(std::memory_order_relaxed);
  }
  if (start_ns != ~0ull) into.start_ns.store(start_ns, std::memory_order_relaxed);
  into.carried_in.store(carried_in, std::memory_order_relaxed);
}

void sum_records(WorkerRecord& into, Parts parts) {
  publish_counts(into, parts);
  std::uint64_t flying_ns = 0;
  bool done = !parts.empty();
  for (const auto* part : parts) {
    add_rest(into, *part);
    flying_ns = std::max(flying_ns, part->flying_ns.load(std::memory_order_relaxed));
    done &= part->work_done;
  }
  into.work_done = done;
  into.flying_ns.store(flying_ns, std::memory_order_relaxed);
}

}  // namespace fathom::run::records
