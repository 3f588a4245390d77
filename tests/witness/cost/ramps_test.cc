// Until when nothing counts: of workers that are still to start, in their ramps, measured, and of none.
#include "witness/cost/ramps.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"

namespace fathom::witness::cost {
namespace {

using run::records::Phase;
constexpr std::uint64_t kS = 1'000'000'000, kNow = 100 * kS;

class OfTwo : public ::testing::Test {
 protected:
  void are(Phase first, Phase second) {
    records_[0].set_phase(first);
    records_[1].set_phase(second);
  }
  base::system::SharedArray<run::records::WorkerRecord> records_{2};
  Ramps ramps_{{{{&records_[0], {}}, 5 * kS}, {{&records_[1], {}}, 3 * kS}}};
};

TEST_F(OfTwo, TheShortestIsLeftBeforeTheyStart) {
  are(Phase::idle, Phase::ready);
  EXPECT_EQ(ramps_.left_ns(kNow), 3 * kS);
  EXPECT_TRUE(ramps_.long_enough());
}

TEST_F(OfTwo, OneThatHasStartedHasTheRestOfIts) {
  are(Phase::ramp, Phase::setup);
  records_[0].start_ns = kNow - 4 * kS;
  EXPECT_EQ(ramps_.left_ns(kNow), kS);
  EXPECT_EQ(ramps_.left_ns(kNow + 2 * kS), 0u);
}

TEST_F(OfTwo, NothingIsLeftWhereOneIsMeasured) {
  are(Phase::running, Phase::idle);
  EXPECT_EQ(ramps_.left_ns(kNow), 0u);
  are(Phase::idle, Phase::done);
  EXPECT_EQ(ramps_.left_ns(kNow), 0u) << "or was";
  EXPECT_FALSE(ramps_.long_enough());
}

TEST(Ramps, WithoutOneThereIsNone) {
  EXPECT_EQ(Ramps({}).left_ns(kNow), 0u);
  base::system::SharedArray<run::records::WorkerRecord> records(1);
  EXPECT_EQ(Ramps({{{&records[0], {}}, 0}}).left_ns(kNow), 0u);
  EXPECT_EQ(Ramps({{{nullptr, {}}, 5 * kS}}).left_ns(kNow), 0u);
}

}  // namespace
}  // namespace fathom::witness::cost
