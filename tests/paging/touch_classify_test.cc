// The ledger of faults over made-up readings of RUSAGE_THREAD, whose classes are known beforehand.
#include <gtest/gtest.h>

#include "paging/classify.h"

namespace fathom::paging {
namespace {

using result::AccessClass;

TEST(FaultLedger, ClassifiesByTheCounterThatRose) {
  FaultLedger ledger;
  ledger.begin({100, 7});
  EXPECT_EQ(ledger.slow_access({100, 7}), AccessClass::hit);
  EXPECT_EQ(ledger.slow_access({101, 7}), AccessClass::minor);
  EXPECT_EQ(ledger.slow_access({101, 8}), AccessClass::major);
  EXPECT_EQ(ledger.slow_access({101, 8}), AccessClass::hit);
  EXPECT_EQ(ledger.lookups(), 4u);
  EXPECT_EQ(ledger.slow_hits(), 2u);
  EXPECT_EQ(ledger.minors(), 1u);
  EXPECT_EQ(ledger.majors(), 1u);
  EXPECT_EQ(ledger.extra(), 0u);
  EXPECT_EQ(ledger.own(), 0u);
}

TEST(FaultLedger, AMajorAndAMinorFaultOfOneAccessAreAMajorAndAnExtra) {
  FaultLedger ledger;
  ledger.begin({0, 0});
  EXPECT_EQ(ledger.slow_access({1, 1}), AccessClass::major);
  EXPECT_EQ(ledger.slow_access({4, 1}), AccessClass::minor);
  EXPECT_EQ(ledger.majors(), 1u);
  EXPECT_EQ(ledger.minors(), 1u);
  EXPECT_EQ(ledger.extra(), 3u);
}

// Without the reading beside the refill the tool's own fault would make a minor of the next slow hit.
TEST(FaultLedger, AFaultBetweenAccessesIsOwn) {
  FaultLedger ledger;
  ledger.begin({10, 0});
  ledger.between({12, 0});
  EXPECT_EQ(ledger.own(), 2u);
  EXPECT_EQ(ledger.slow_access({12, 0}), AccessClass::hit);
  ledger.between({12, 1});
  EXPECT_EQ(ledger.own(), 3u);
  EXPECT_EQ(ledger.minors() + ledger.majors(), 0u);
}

TEST(FaultLedger, CountsEveryFaultExactlyOnce) {
  FaultLedger ledger;
  FaultCounts now{1000, 2000};
  ledger.begin(now);
  std::uint64_t state = 1;
  for (int i = 0; i < 10000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    now.minor += state >> 62;
    now.major += state >> 60 & 1;
    if ((state >> 50 & 3) == 0)
      ledger.between(now);
    else
      ledger.slow_access(now);
  }
  const auto counted = ledger.counted();
  EXPECT_EQ(counted.minor, now.minor - 1000);
  EXPECT_EQ(counted.major, now.major - 2000);
  EXPECT_EQ(ledger.minors() + ledger.majors() + ledger.extra() + ledger.own(), counted.minor + counted.major);
}

TEST(ClassDifference, IsAShareOfTheLargerCount) {
  EXPECT_EQ(class_difference(0, 0), 0.0);
  EXPECT_DOUBLE_EQ(class_difference(999, 1000), 0.001);
  EXPECT_DOUBLE_EQ(class_difference(1000, 998), 0.002);
  EXPECT_EQ(class_difference(0, 5), 1.0);
}

}  // namespace
}  // namespace fathom::paging
