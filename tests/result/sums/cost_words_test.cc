// What is said of a cost: "below" only where the whole interval is, and why there is nothing to say.
#include "result/sums/cost_words.h"

#include <gtest/gtest.h>

namespace fathom::result::sums {
namespace {

WatchingCost of_rate(double share, double half_width) {
  WatchingCost cost;
  cost.by = CostBy::rate;
  cost.rate = {share, half_width};
  cost.slices = 19;
  return cost;
}

TEST(CostWords, SayBelowTwoPercentOnlyWhereTheWholeIntervalIs) {
  EXPECT_EQ(cost_words(of_rate(0.01, 0.009)), "below 2 %: 1.0 +- 0.9 % of the rate");
  EXPECT_EQ(cost_words(of_rate(0.01, 0.011)), "1.0 +- 1.1 % of the rate: too noisy to tell whether it is below 2 %");
  EXPECT_EQ(cost_words(of_rate(0.03, 0.011)), "3.0 +- 1.1 % of the rate: too noisy to tell whether it is below 2 %");
  EXPECT_EQ(cost_words(of_rate(0.13, 0.01)), "13.0 +- 1.0 % of the rate");
  EXPECT_EQ(verdict(of_rate(0.13, 0.01)), CostVerdict::above);
}

TEST(CostWords, JudgeByWhatAJobCanShow) {
  auto cost = of_rate(0, 0.001);
  cost.p50 = {0.05, 0.01};
  cost.cpu = {0.001, 0.002};
  cost.by = CostBy::p50;
  EXPECT_EQ(cost_words(cost), "5.0 +- 1.0 % of the median latency");
  cost.by = CostBy::cpu;
  EXPECT_EQ(cost_words(cost), "below 2 %: 0.1 +- 0.2 % of the CPU time per I/O");
}

TEST(CostWords, SayWhyThereIsNone) {
  WatchingCost cost;
  EXPECT_EQ(cost_words(cost), "not measured");
  cost.cause = "its ramp is too short";
  EXPECT_EQ(cost_words(cost), "not measured: its ramp is too short");
  EXPECT_EQ(cost_words(of_rate(0.01, -1)),
            "not known: fewer than three slices could be compared with the time before them");
}

TEST(CostWords, HaveCpuTimeAndSlicesBeside) {
  auto cost = of_rate(0.01, 0.009);
  EXPECT_EQ(cpu_words(cost), "");
  cost.cpu_per_io = {311.6, 40.2};
  EXPECT_EQ(cpu_words(cost), ", CPU 312 +- 40 ns per I/O");
  EXPECT_EQ(slices_words(cost), ", by 19 slices");
  cost.from = CostFrom::ramp;
  EXPECT_EQ(slices_words(cost), ", by 19 slices of the ramp");
}

// Half of the accesses may be hits, which wait for nobody: their median would say nothing of the faults'.
TEST(CostWords, OfAccessesAreInTheirTermsAndShowTheMedianFault) {
  Paging paging;
  auto cost = of_rate(0.01, 0.009);
  cost.p50 = {0.031, 0.004};
  cost.cpu_per_io = {120, 40};
  EXPECT_EQ(
      judged_words(cost, terms_of(paging)),
      "below 2 %: 1.0 +- 0.9 % of the rate, the median major fault +3.1 +- 0.4 %, CPU 120 +- 40 ns per access, by "
      "19 slices");
  cost.by = CostBy::p50;
  EXPECT_EQ(judged_words(cost, terms_of(paging)),
            "3.1 +- 0.4 % of the median major fault, CPU 120 +- 40 ns per access, by 19 slices");
  cost.by = CostBy::cpu;
  cost.cpu = {0.05, 0.01};
  EXPECT_EQ(cost_words(cost, terms_of(paging)), "5.0 +- 1.0 % of the CPU time per access");
  paging.classified = false;
  EXPECT_EQ(judged_words(cost, terms_of(paging)),
            "5.0 +- 1.0 % of the CPU time per access, CPU 120 +- 40 ns per access, by 19 slices");
  cost.p50.half_width = -1;
  paging.classified = true;
  EXPECT_EQ(judged_words(cost, terms_of(paging)),
            "5.0 +- 1.0 % of the CPU time per access, CPU 120 +- 40 ns per access, by 19 slices");
}

TEST(CostWords, OnlyAJudgementRestsOnSomething) {
  EXPECT_EQ(judged_words(of_rate(0.13, 0.01)), "13.0 +- 1.0 % of the rate, by 19 slices");
  EXPECT_EQ(judged_words(of_rate(0.13, -1)), cost_words(of_rate(0.13, -1)));
  EXPECT_EQ(judged_words({}), "not measured");
}

}  // namespace
}  // namespace fathom::result::sums
