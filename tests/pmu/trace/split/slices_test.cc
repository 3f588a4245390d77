// How much is looked at, which I/Os, and that long ones have the same chance as short ones.
#include "pmu/trace/split/slices.h"

#include <gtest/gtest.h>

namespace fathom::pmu {
namespace {

TEST(TraceSlices, LowRatesAreTracedCompletely) {
  EXPECT_TRUE(trace::split::plan_slices(0, 1e6, 40e3).always);
  EXPECT_TRUE(trace::split::plan_slices(40e3, 1e6, 40e3).always);
  EXPECT_FALSE(trace::split::plan_slices(41e3, 1e6, 40e3).always);
}

TEST(TraceSlices, TracedShareKeepsTheAverageRateWithinTheLimit) {
  for (const double rate : {60e3, 300e3, 3e6})
    for (const double longest : {10e3, 1e6, 20e6}) {
      const auto plan = trace::split::plan_slices(rate, longest, 40e3);
      ASSERT_FALSE(plan.always);
      const double on = plan.choose_ns + plan.finish_ns, share = on / (on + plan.pause_ns);
      EXPECT_NEAR(share * rate, 40e3, 1) << rate;
      EXPECT_GE(plan.choose_ns, plan.finish_ns / 4) << rate << " " << longest;
      EXPECT_GE(plan.finish_ns, 2 * longest) << "I/Os that began have time to end";
    }
}

TEST(TraceSlices, IosAreChosenByTheirStartTime) {
  trace::split::Slices slices(1);
  using enum trace::split::Slices::Choice;
  EXPECT_EQ(slices.choose(5, 6), no);
  slices.switched_on(100);
  EXPECT_EQ(slices.choose(99, 150), no) << "its first events were not seen";
  EXPECT_EQ(slices.choose(100, 150), yes);
  trace::split::SlicePlan plan{false, 100, 50, 1000};
  EXPECT_EQ(slices.next(plan, 150), trace::split::Slices::Step::stay);
  EXPECT_EQ(slices.next(plan, 210), trace::split::Slices::Step::stay);  // chosen until here
  EXPECT_EQ(slices.choose(209, 230), yes);
  EXPECT_EQ(slices.choose(210, 230), no);
  EXPECT_EQ(slices.next(plan, 250), trace::split::Slices::Step::stay);
  EXPECT_EQ(slices.next(plan, 260), trace::split::Slices::Step::turn_off);
  slices.switched_off(260);
  EXPECT_EQ(slices.choose(209, 260), yes);
  EXPECT_EQ(slices.choose(209, 261), cut) << "it is counted, not forgotten";
  EXPECT_EQ(slices.choose(250, 255), no);
  EXPECT_EQ(slices.choose(270, 280), off);
  EXPECT_EQ(slices.next(plan, 261), trace::split::Slices::Step::stay);
  EXPECT_EQ(slices.next(plan, 260 + 2000), trace::split::Slices::Step::turn_on);
  slices.switched_on(2300);
  EXPECT_EQ(slices.choose(2301, 2400), yes);
  EXPECT_EQ(slices.choose(205, 255), yes) << "an I/O of the slice before";
}

TEST(TraceSlices, PausesAreRandom) {
  trace::split::Slices slices(3);
  const trace::split::SlicePlan plan{false, 100, 50, 10'000};
  std::uint64_t now = 0, shortest = ~0ull, longest = 0, pauses = 0;
  for (int i = 0; i < 200; ++i) {
    slices.switched_on(now);
    while (slices.next(plan, now) != trace::split::Slices::Step::turn_off) ++now;
    slices.switched_off(now);
    const std::uint64_t off = now;
    while (slices.next(plan, now) != trace::split::Slices::Step::turn_on) ++now;
    shortest = std::min(shortest, now - off);
    longest = std::max(longest, now - off);
    pauses += now - off;
  }
  EXPECT_LT(shortest, 6'000u);
  EXPECT_GT(longest, 14'000u);
  EXPECT_NEAR(static_cast<double>(pauses) / 200, 10'000, 700);
}

}  // namespace
}  // namespace fathom::pmu
