// All memory that measuring touches for one thread: one page with the block of accesses, the sums and the loop's
// inputs, and six histograms, each beginning on a page. Problem: if the tool's memory is paged, or merely not cached,
// it is measured as if it were the memory under test (Yang and Seymour, section 3: compact, page-aligned structures).
// Choice: a hit touches the head's page and one page of one histogram; for latencies below 8 us that is the histogram's
// first. The record is in memory shared with the parent, so the measurements outlive a killed worker. All-zero bytes
// are a valid record. Thread rule: one writer; the parent reads `live` while it runs and the rest (torn at worst by one
// sample) at any time.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "clock/sources/source.h"
#include "paging/classify.h"
#include "paging/sources/access_source.h"
#include "result/paging.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::paging::sources {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kMeasurementBytes = 256 << 10;  // the most a thread may have, stack and source included

// Exact moments without a count: the histogram has the count.
struct LatencySums {
  unsigned __int128 squares_ns;
  std::uint64_t sum_ns, max_ns, min_ns;  // min_ns: all ones before the first
  std::uint64_t squares_of_block_ns;     // of this block's quick values, not yet in squares_ns
  // For a value below kQuickNs that is known not to be a new maximum.
  [[gnu::always_inline]] void add_quick(std::uint64_t ns) {
    sum_ns += ns;
    squares_of_block_ns += ns * ns;
    if (ns < min_ns) [[unlikely]]
      min_ns = ns;
  }
  void add(std::uint64_t ns) {
    sum_ns += ns;
    squares_ns += static_cast<unsigned __int128>(ns) * ns;
    max_ns = std::max(max_ns, ns);
    min_ns = std::min(min_ns, ns);
  }
  void close_block() {
    squares_ns += squares_of_block_ns;
    squares_of_block_ns = 0;
  }
  stats::Moments moments(std::uint64_t n) const {
    return n == 0 ? stats::Moments{} : stats::Moments{n, max_ns, ~min_ns, sum_ns, squares_ns + squares_of_block_ns};
  }
};
// Squares of a block of shorter values fit 64 bits.
inline constexpr std::uint64_t kQuickNs = 1u << 28;
static_assert(kAccessBlock * kQuickNs <= ~std::uint64_t{0} / kQuickNs);

enum class ThreadPhase : std::uint32_t { none, prepared, warming, ready, measuring, ended, finished };

// Counters that the parent reads while the thread runs.
struct LiveCounts {
  std::atomic<std::uint32_t> phase, stop;
  std::atomic<std::uint64_t> accesses, minor, major, warmup_accesses;
  std::atomic<std::uint64_t> last;  // end of the last counted access, in the stamps' ticks
};

// The loop's inputs; set before it starts.
struct LoopInputs {
  std::byte* base;
  AccessSource* source;
  clock::sources::Conversion conversion;
  std::uint64_t begin, deadline;           // by the stamps' clock
  std::uint64_t slow_ticks, mark_ticks;    // from here on: read fault counters; mark in the trace. All ones: never
  std::uint64_t quick_ticks;               // below it all is quick: least of both and kQuickNs; set by ready_to_touch()
  std::uint64_t delay_ticks;               // of the CPU's clock
  std::uint64_t max_accesses;              // all ones: no limit
  std::uint64_t block_begin, block_count;  // accesses before the block, and in it
  std::uint64_t mark_ns;                   // requested threshold, for the line in the trace
  int mark_fd;
  bool classify;
};

struct alignas(kPage) ThreadHead {
  Access block[kAccessBlock];
  LatencySums sums[result::kAccessClasses][result::kAccessDirs];
  // By direction: a hit up to here takes the fast path. It is the longest hit so far while that is not slow, so that a
  // new maximum needs no separate test.
  std::uint64_t limit_ticks[result::kAccessDirs];
  std::uint64_t touched[result::kAccessDirs];  // mode touch
  LoopInputs in;
  LiveCounts live;
  FaultLedger ledger;
  // Set at the end of each part.
  FaultCounts kernel_begin, kernel_end;
  std::uint64_t begin_ns, end_ns;  // CLOCK_MONOTONIC
  std::uint64_t warmup_planned, warmup_ns;
  double overhead_ns;
  std::uint64_t overhead_accesses;
  int tid;
  int bind_errno;
};

// The buckets of stats::RawHistogram up to 2^45 ns (9.8 hours); longer times count as that.
struct AccessCounts {
  static constexpr std::size_t kCounts = 5 * kPage / sizeof(std::uint64_t);
  std::uint64_t counts[kCounts];
  void add(std::uint64_t ns) { ++counts[std::min(stats::bucket_of(ns), kCounts - 1)]; }
  operator std::span<const std::uint64_t>() const { return counts; }
};
static_assert(stats::bucket_begin(AccessCounts::kCounts) == std::uint64_t{1} << 45);
static_assert(stats::bucket_of(kQuickNs) < AccessCounts::kCounts, "what is quick needs no test");

struct alignas(kPage) PagedHistogram {
  AccessCounts raw;
};

struct ThreadRecord {
  ThreadHead head;
  PagedHistogram histograms[result::kAccessClasses][result::kAccessDirs];
};

static_assert(sizeof(ThreadHead) == kPage, "block, sums and inputs share one page");
static_assert(sizeof(LatencySums) == 48, "the sums of hits are two cache lines");
static_assert(sizeof(ThreadRecord) % kPage == 0 && offsetof(ThreadRecord, histograms) == kPage);
static_assert(stats::bucket_of(8191) < kPage / sizeof(std::uint64_t) && sizeof(PagedHistogram) % kPage == 0,
              "every hit below 8 us counts in the first page of its histogram");
inline constexpr std::size_t kThreadStackBytes = 16 << 10;  // four times its use, without the C library's part
static_assert(sizeof(ThreadRecord) + kThreadStackBytes <= kMeasurementBytes);

}  // namespace fathom::paging::sources
