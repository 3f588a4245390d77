// What `fathom paging breakdown` states before it begins.
#include "session/paging_breakdown.h"

#include <gtest/gtest.h>

namespace fathom::session {
namespace {

TEST(PagingBreakdown, StatesItsLongestWaitBeforeItBegins) {
  paging_job::Request request;
  request.swaps.resize(2);
  request.repeat = 3;
  request.plan.duration_s = 20;
  request.settle = true;
  EXPECT_EQ(
      longest_wait(request),
      "6 measurements of 20 s, each after a wait of at most 60 s for an idle machine: at most 8 min, and the time "
      "to set up and restore");
  request.settle = false;
  request.cost_ns = 10'000'000'000;
  EXPECT_EQ(longest_wait(request), "6 measurements of 20 s: at most 3 min, and the time to set up and restore");
  request.swaps.resize(1);
  request.repeat = 1;
  request.plan.duration_s = 0.5;
  request.cost_ns = 0;
  EXPECT_EQ(longest_wait(request), "1 measurement of 0.5 s: at most 1 s, and the time to set up and restore");
}

}  // namespace
}  // namespace fathom::session
