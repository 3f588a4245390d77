// The ratio of two units is named; what chance, a mirror or a busy neighbour makes is not.
#include "stats/unit_factor.h"

#include <gtest/gtest.h>

namespace fathom::stats {
namespace {

TEST(UnitFactor, IsNamedForKnownRatios) {
  const double moved = 1e9;
  for (const double factor : {4.0, 8.0, 16.0, 32.0, 64.0, 512.0}) {
    for (const double exact : {factor, 1 / factor}) {
      for (const double off : {0.98, 1.0, 1.02, 1.09}) {
        const auto found = unit_factor(moved * exact * off, moved);
        ASSERT_TRUE(found) << exact << " " << off;
        EXPECT_DOUBLE_EQ(*found, exact);
      }
    }
  }
}

TEST(UnitFactor, IsNotNamedForOtherRatios) {
  const double moved = 1e9;
  for (const double ratio :
       {1.0, 0.5, 2.0, 2.1, 1.97, 0.66, 3.0, 3.8, 4.5, 7.0, 9.0, 15.0, 18.0, 40.0, 0.3, 0.01, 1e3}) {
    EXPECT_FALSE(unit_factor(moved * ratio, moved)) << ratio;
  }
  EXPECT_FALSE(unit_factor(16 * 4096, 4096)) << "too little to judge";
  EXPECT_FALSE(unit_factor(0, moved));
  EXPECT_FALSE(unit_factor(moved, 0));
}

}  // namespace
}  // namespace fathom::stats
