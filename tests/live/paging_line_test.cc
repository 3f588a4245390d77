// The status line of `fathom paging`: what stands in it in each phase, and how numbers are shortened.
#include "live/paging_line.h"

#include <gtest/gtest.h>

namespace fathom::live {
namespace {

TEST(PagingLine, APhaseBeforeTheWindowShowsItsProgress) {
  paging::Progress s;
  s.phase = paging::Progress::Phase::filling;
  s.done_share = 0.425;
  EXPECT_EQ(paging_line(s, 0), "filling [42.5%]");
}

TEST(PagingLine, ShowsRatesPercentilesAndTimeLeft) {
  paging::Progress s;
  s.phase = paging::Progress::Phase::measuring;
  s.done_share = 0.5;
  s.late.accesses_per_s = 1'234'567;
  s.late.minor_per_s = 0;
  s.late.major_per_s = 8'104;
  s.late.ns_p50 = 520;
  s.late.ns_p99 = 98'304;
  s.elapsed_s = 71.5;
  EXPECT_EQ(paging_line(s, 143),
            "measuring [50.0%] 1.23M accesses/s, minor 0/s, major 8.10k/s, p50 520 ns, p99 98.3 us [eta 01m:12s]");
}

TEST(PagingLine, WithoutLatenciesShowsNoPercentiles) {
  paging::Progress s;
  s.phase = paging::Progress::Phase::measuring;
  s.late.accesses_per_s = 950;
  EXPECT_EQ(paging_line(s, 0), "measuring [0.0%] 950 accesses/s, minor 0/s, major 0/s");
}

TEST(PagingLine, NumbersHaveAtMostThreeDigitsBeforeTheUnit) {
  paging::Progress s;
  s.phase = paging::Progress::Phase::measuring;
  s.late.accesses_per_s = 999.7;
  s.late.major_per_s = 99'960;
  s.late.ns_p50 = 999;
  s.late.ns_p99 = 12'000'000'000;
  EXPECT_EQ(paging_line(s, 3 * 3600 + 62),
            "measuring [0.0%] 1.00k accesses/s, minor 0/s, major 100k/s, p50 999 ns, p99 12.0 s [eta 03h:01m:02s]");
}

TEST(PagingLine, OnlyTheWindowHasATimeLeft) {
  paging::Progress s;
  s.phase = paging::Progress::Phase::warming;
  s.late.accesses_per_s = 950;
  s.elapsed_s = 1;
  EXPECT_EQ(paging_line(s, 100), "warming up [0.0%] 950 accesses/s, minor 0/s, major 0/s");
  s.phase = paging::Progress::Phase::measuring;
  s.elapsed_s = 101;
  EXPECT_EQ(paging_line(s, 100), "measuring [0.0%] 950 accesses/s, minor 0/s, major 0/s");
}

TEST(LearnLine, PhaseTimeAndPages) {
  paging::learn::LearnProgress p;
  p.phase = paging::learn::LearnProgress::Phase::observing;
  p.elapsed_s = 2.25;
  p.pages = 512;
  p.touched_share = 0.125;
  EXPECT_EQ(learn_line(p), "observing 2.2 s, 512 pages, 12.5% touched in the last interval");
}

}  // namespace
}  // namespace fathom::live
