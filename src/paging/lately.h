// Rates and percentiles of the last second while the threads run, by comparison with their records a second ago.
// Percentiles of intervals cannot be added, so the counts are kept and subtracted. The threads store concurrently, in
// words that the hardware does not tear. An access that ends during a look is in this interval or in the next.
// Thread rule: the parent.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <span>

#include "paging/series.h"
#include "paging/workers/worker_state.h"

namespace fathom::paging {

ThreadTotals live_totals(std::span<const sources::ThreadRecord> threads);

// Fewest accesses for the percentile; with fewer it is 0.
inline constexpr std::uint64_t kFewestForP99 = 100, kFewestForP999 = 1000;
struct OfLate {
  double accesses_per_s = 0, minor_per_s = 0, major_per_s = 0;
  std::uint64_t n = 0, ns_p50 = 0, ns_p99 = 0, ns_p999 = 0;  // of timed accesses; 0: no value
};

class Lately {
 public:
  static constexpr std::uint64_t kSecond_ns = 1'000'000'000;
  void begin(std::uint64_t now_ns, const ThreadTotals& totals);
  // Since a second ago, or since begin().
  OfLate look(std::uint64_t now_ns, const ThreadTotals& totals, std::span<const sources::ThreadRecord> threads);

 private:
  using Counts = std::array<std::uint64_t, sources::AccessCounts::kCounts>;
  struct Seen {
    std::uint64_t at_ns = 0;
    ThreadTotals totals;
    Counts counts{};
  };
  std::deque<Seen> seen_;
};

}  // namespace fathom::paging
