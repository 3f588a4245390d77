// The units of a page: the same in tables and plots.
#include "report/page/units.h"

#include <gtest/gtest.h>

namespace fathom::report::page {
namespace {

TEST(PageUnits, AreOneSystem) {
  EXPECT_EQ(quantity(950, "ns"), "950 ns");
  EXPECT_EQ(quantity(1'480'000, "ns"), "1.48 ms");
  EXPECT_EQ(quantity(59.94e9, "ns"), "59.9 s");
  EXPECT_EQ(quantity(90e9, "ns"), "1 min 30 s");
  EXPECT_EQ(quantity(-90e9, "ns"), "-1 min 30 s");
  EXPECT_EQ(quantity(12'345, "1/s"), "12.3k");
  EXPECT_EQ(quantity(600 << 20, "bytes/s"), "600 MiB/s");
  EXPECT_EQ(quantity(1536, "bytes"), "1.50 KiB");
  EXPECT_EQ(quantity(3, "faults"), "3 faults");
}

TEST(PageUnits, APercentageHasThreeDigits) {
  EXPECT_EQ(percent(0), "0.00 %");
  EXPECT_EQ(percent(12.345), "12.3 %");
  EXPECT_EQ(signed_percent(-4.5), "-4.50 %");
  EXPECT_EQ(signed_percent(123.4), "+123 %");
  EXPECT_EQ(signed_percent(2e6), "+2e+06 %");
}

}  // namespace
}  // namespace fathom::report::page
