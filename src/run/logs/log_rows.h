// Rows that a worker writes for its logs: one per I/O (of syncs only for write_iolog=), or one per window of
// log_avg_msec, and the counts each log_hist_msec. Binary, and common to all kinds of logs: the parent converts them to text after the job. All-zero
// bytes are valid. Times count from the start of the measured part.
#pragma once
#include <algorithm>
#include <cstdint>

#include "io/request.h"
#include "stats/histogram.h"

namespace fathom::run::logs {

inline constexpr std::uint64_t kMillisecond_ns = 1'000'000;
inline constexpr std::uint64_t kNoLatency = ~std::uint64_t{0};  // not measured by this loop (slat of synchronous I/O)

enum class LatencyKind : std::uint8_t { slat, clat, lat };
inline constexpr std::size_t kLatencyKinds = 3;

struct IoRow {
  std::uint64_t at_ns;  // completion time
  std::uint64_t offset_bytes;
  std::uint64_t latency_ns[kLatencyKinds];
  std::uint32_t length_bytes;
  io::Dir dir;
  std::uint8_t sync_flags;   // io::RequestFlags of a sync, for write_iolog=
  std::uint16_t prio;        // class << 13 | hint << 3 | level, as for ioprio_set(2)
  std::uint16_t target = 0;  // index into the job's targets, for write_iolog=
};
static_assert(sizeof(IoRow) == 56);

// The I/Os of one direction that completed in one window.
struct WindowRow {
  std::uint64_t from_ns, until_ns;
  std::uint64_t ios, bytes;
  struct Latency {
    std::uint64_t ios, sum_ns, max_ns;
  } latency[kLatencyKinds];
  io::Dir dir;
};

// All completion latencies of one direction so far.
struct HistogramRow {
  std::uint64_t at_ns;
  std::uint32_t length_bytes;  // length of the I/O that caused this row
  io::Dir dir;
  std::uint64_t counts[stats::kFioBuckets];
};

// The groups beyond fio's contain latencies above 17 s. They are added to fio's last bucket, as fio does.
inline void copy_counts(const stats::RawHistogram& from, HistogramRow& to) {
  std::copy_n(from.counts, stats::kFioBuckets, to.counts);
  for (std::size_t i = stats::kFioBuckets; i < stats::kBuckets; ++i)
    to.counts[stats::kFioBuckets - 1] += from.counts[i];
}

// As copy_counts(), but adds, and another thread may write `from` during the call. Words are not torn; each may be of
// a different time.
__attribute__((no_sanitize("thread"))) inline void add_counts(const stats::RawHistogram& from, HistogramRow& to) {
  for (std::size_t i = 0; i < stats::kBuckets; ++i)
    to.counts[std::min(i, stats::kFioBuckets - 1)] += __atomic_load_n(&from.counts[i], __ATOMIC_RELAXED);
}

}  // namespace fathom::run::logs
