// What a worker says for its logs: a row for each I/O, or for each window of log_avg_msec, and what is counted when
// log_hist_msec are over. Binary, and of all kinds of logs at once: text is made of it when the job is over. All-zero
// bytes are valid. Times since the measured part began.
#pragma once
#include <algorithm>
#include <cstdint>

#include "io/request.h"
#include "stats/histogram.h"

namespace fathom::run::logs {

inline constexpr std::uint64_t kMillisecond_ns = 1'000'000;
inline constexpr std::uint64_t kNoLatency = ~std::uint64_t{0};  // this loop does not take it (slat of synchronous I/O)

enum class LatencyKind : std::uint8_t { slat, clat, lat };
inline constexpr std::size_t kLatencyKinds = 3;

struct IoRow {
  std::uint64_t at_ns;  // completion
  std::uint64_t offset_bytes;
  std::uint64_t latency_ns[kLatencyKinds];
  std::uint32_t length_bytes;
  io::Dir dir;
  std::uint16_t prio;  // class << 13 | hint << 3 | level, as ioprio_set(2) has it
};
static_assert(sizeof(IoRow) == 48);

// The I/Os of one direction that completed in a window.
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
  std::uint32_t length_bytes;  // of the I/O that it was written at
  io::Dir dir;
  std::uint64_t counts[stats::kFioBuckets];
};

// The groups beyond fio's hold what is longer than 17 s: in fio's last bucket, as there.
inline void copy_counts(const stats::RawHistogram& from, HistogramRow& to) {
  std::copy_n(from.counts, stats::kFioBuckets, to.counts);
  for (std::size_t i = stats::kFioBuckets; i < stats::kBuckets; ++i)
    to.counts[stats::kFioBuckets - 1] += from.counts[i];
}

// Of a record that another thread writes meanwhile: words that are not torn, each as far as it was.
__attribute__((no_sanitize("thread"))) inline void add_counts(const stats::RawHistogram& from, HistogramRow& to) {
  for (std::size_t i = 0; i < stats::kBuckets; ++i)
    to.counts[std::min(i, stats::kFioBuckets - 1)] += __atomic_load_n(&from.counts[i], __ATOMIC_RELAXED);
}

}  // namespace fathom::run::logs
