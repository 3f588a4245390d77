// What instructions_of_a_source_test.py counts: FATHOM_REFILLS refills of the pattern FATHOM_PATTERN, in a function
// of their own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "paging/source_support.h"

namespace fathom::paging {

[[gnu::noinline]] void refill_counted(sources::AccessSource& source, Block& block, long refills) {
  for (long i = 0; i < refills; ++i) source.refill(block, 0);
}

namespace {

TEST(AccessSourceCost, refills) {
  const char* const pattern = std::getenv("FATHOM_PATTERN");
  const char* const refills = std::getenv("FATHOM_REFILLS");
  const auto source = make(plan_of(pattern != nullptr ? pattern : "uniform"), 65536);
  Block block{};
  refill_counted(*source, block, refills != nullptr ? std::atol(refills) : 1);
  EXPECT_NE(block.back().v, block.front().v);
}

}  // namespace
}  // namespace fathom::paging
