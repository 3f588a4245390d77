// The status line of `fathom paging`: what stands in it in each phase, and how numbers are shortened.
#include "live/paging_line.h"

#include <gtest/gtest.h>

namespace fathom::live {
namespace {

TEST(PagingLine, APhaseBeforeTheWindowShowsItsProgress) {
  PagingSnapshot s;
  s.phase = "filling";
  s.done_share = 0.425;
  EXPECT_EQ(paging_line(s), "filling [42.5%]");
}

TEST(PagingLine, ShowsRatesPercentilesAndTimeLeft) {
  PagingSnapshot s;
  s.phase = "measuring";
  s.done_share = 0.5;
  s.accesses_per_s = 1'234'567;
  s.minor_per_s = 0;
  s.major_per_s = 8'104;
  s.ns_p50 = 520;
  s.ns_p99 = 98'304;
  s.eta_s = 72;
  EXPECT_EQ(paging_line(s),
            "measuring [50.0%] 1.23M accesses/s, minor 0/s, major 8.10k/s, p50 520 ns, p99 98.3 us [eta 01m:12s]");
}

TEST(PagingLine, WithoutLatenciesShowsNoPercentiles) {
  PagingSnapshot s;
  s.phase = "measuring";
  s.accesses_per_s = 950;
  EXPECT_EQ(paging_line(s), "measuring [0.0%] 950 accesses/s, minor 0/s, major 0/s");
}

TEST(PagingLine, NumbersHaveAtMostThreeDigitsBeforeTheUnit) {
  PagingSnapshot s;
  s.phase = "measuring";
  s.accesses_per_s = 999.7;
  s.major_per_s = 99'960;
  s.ns_p50 = 999;
  s.ns_p99 = 12'000'000'000;
  s.eta_s = 3 * 3600 + 62;
  EXPECT_EQ(paging_line(s),
            "measuring [0.0%] 1.00k accesses/s, minor 0/s, major 100k/s, p50 999 ns, p99 12.0 s [eta 03h:01m:02s]");
}

}  // namespace
}  // namespace fathom::live
