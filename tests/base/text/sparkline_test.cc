// Levels, means, and nothing at all.
#include "base/text/sparkline.h"

#include <gtest/gtest.h>

namespace fathom::base::text {
namespace {

TEST(Sparkline, ACharacterAValue) {
  const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(sparkline(values, 80, false), "_.:-=+*#%");
  EXPECT_EQ(sparkline(values, 80, true), "▁▁▂▃▄▅▆▇█");
}

TEST(Sparkline, ShowsMeansWhereThereIsNoRoom) {
  const double values[] = {8, 0, 8, 8, 0, 0, 4, 4};
  EXPECT_EQ(sparkline(values, 4, false), "=%_=");
}

TEST(Sparkline, OfNothingIsNothing) {
  EXPECT_EQ(sparkline({}, 80, true), "");
  const double zeros[] = {0, 0, 0};
  EXPECT_EQ(sparkline(zeros, 80, false), "___");
}

}  // namespace
}  // namespace fathom::base::text
