// Over many short runs that begin alike, every moment of a load with the period of the half seconds must be seen as often as any other.
#include "pmu/trace/programs/slice_moments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace fathom::pmu::trace::programs {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kSlice_ms = 50, kOver_ms = 56;  // to attach and to detach takes its time
constexpr std::uint64_t kPeriod_ms = kOfARun.round_ns / kMs;

TEST(SliceMoments, EachMomentOfALoadThatKeepsTimeIsSeenAsOftenAsAnyOther) {
  std::array<double, kPeriod_ms> seen{};
  constexpr int kRuns = 2000, kSlices = 40;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    SliceMoments moments(run, 0);
    std::uint64_t now = kOver_ms * kMs;
    for (int i = 0; i < kSlices; ++i) {
      const std::uint64_t from = moments.next(now);
      for (std::uint64_t ms = 0; ms < kSlice_ms; ++ms) seen[(from / kMs + ms) % kPeriod_ms] += 1;
      now = from + kOver_ms * kMs;
    }
  }
  const double each = double{kRuns} * kSlices * kSlice_ms / kPeriod_ms;
  EXPECT_GT(*std::min_element(seen.begin(), seen.end()), 0.9 * each);
  EXPECT_LT(*std::max_element(seen.begin(), seen.end()), 1.1 * each);
}

TEST(SliceMoments, OneInEachHalfSecond) {
  SliceMoments moments(1, 1000);
  std::uint64_t now = 1000;
  for (std::uint64_t round = 1; round < 1000; ++round) {
    now = moments.next(now);
    EXPECT_EQ((now - 1000) / kOfARun.round_ns, round);
  }
}

TEST(SliceMoments, PairsHaveTheirGapBehindTheSliceBefore) {
  SliceMoments moments(1, 0);
  std::uint64_t now = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t from = moments.next(now, kOfPairs);
    EXPECT_GE(from, now + kOfPairs.gap_ns);
    EXPECT_LT(from, now + kOfPairs.gap_ns + kOfPairs.drawn_ns);
    now = from + kOver_ms * kMs;
  }
}

TEST(SliceMoments, OneThatTookLongHasEatenTheHalfSecondsThatAreOver) {
  SliceMoments moments(1, 0);
  const std::uint64_t late = 10 * kOfARun.round_ns + 1;
  const std::uint64_t from = moments.next(late);
  EXPECT_GE(from, late);
  EXPECT_LT(from, 11 * kOfARun.round_ns);
}

}  // namespace
}  // namespace fathom::pmu::trace::programs
