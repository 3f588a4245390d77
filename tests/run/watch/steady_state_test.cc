// Whether values have stopped changing: known answers, and those that fio 3.42 wrote.
#include "run/watch/steady_state.h"

#include <gtest/gtest.h>

namespace fathom::run::watch {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

job::fields::Steady rule(job::fields::SteadyOf of, bool slope, double limit, bool percent, std::uint64_t intervals) {
  job::fields::Steady r;
  r.of = of;
  r.slope = slope;
  r.limit = limit;
  r.percent = percent;
  r.duration_ns = intervals * kSecond;
  return r;
}

SteadyState after(const job::fields::Steady& rule, const std::vector<double>& values) {
  SteadyState state(rule);
  for (const double v : values) state.add({v, v, v});
  return state;
}

TEST(SteadyState, DeviationAndSlopeHaveKnownValues) {
  EXPECT_DOUBLE_EQ(largest_deviation({998, 1001}), 1.5);
  EXPECT_DOUBLE_EQ(slope_of({1, 2, 3, 4}), 1);
  EXPECT_DOUBLE_EQ(slope_of({10, 7, 4}), -3);
  EXPECT_DOUBLE_EQ(slope_of({2, 0, 4, 2}), 0.4);
  EXPECT_DOUBLE_EQ(slope_of({5}), 0);
}

// fixtures of fio 3.42: iops 998 and 1001 are 0.150075 % from their mean; bw 4096000 and 4087812 fall by -0.200102 %.
TEST(SteadyState, ResultsMatchFio342) {
  const auto iops = after(rule(job::fields::SteadyOf::iops, false, 20, true, 2), {998, 1001}).result();
  EXPECT_NEAR(iops.value, 0.150075, 5e-7);
  EXPECT_DOUBLE_EQ(iops.max_deviation, 1.5);
  EXPECT_TRUE(iops.attained);
  const auto bw = after(rule(job::fields::SteadyOf::bw, true, 1, true, 2), {4096000, 4087812}).result();
  EXPECT_NEAR(bw.value, -0.200102, 5e-7);
  EXPECT_DOUBLE_EQ(bw.slope_value, -8188);
  EXPECT_TRUE(bw.attained);
}

// effect: steadystate steadystate_duration
TEST(SteadyState, LooksAtTheLastValuesOnly) {
  SteadyState state(rule(job::fields::SteadyOf::iops, false, 5, true, 3));
  EXPECT_FALSE(state.add({100, 0, 0}));
  EXPECT_FALSE(state.add({1000, 0, 0}));
  EXPECT_FALSE(state.add({1000, 0, 0})) << "the first value is far off";
  EXPECT_TRUE(state.add({1010, 0, 0}));
  EXPECT_EQ(state.result().iops, (std::vector<double>{1000, 1000, 1010}));
  EXPECT_TRUE(state.add({1, 0, 0})) << "it stays attained";
  EXPECT_EQ(state.result().iops.back(), 1010);
}

// As in fio: a run that ends before the window is full reports the rest of the window as zeroes.
TEST(SteadyState, IntervalsThatDidNotComeAreZero) {
  const auto none = after(rule(job::fields::SteadyOf::bw, true, 0.1, true, 5), {}).result();
  EXPECT_EQ(none.iops, std::vector<double>(5));
  EXPECT_EQ(none.bytes_per_s, std::vector<double>(5));
  EXPECT_TRUE(none.lat_ns.empty());
  const auto some = after(rule(job::fields::SteadyOf::lat, false, 0.1, true, 4), {7, 9}).result();
  EXPECT_EQ(some.iops, (std::vector<double>{7, 9, 0, 0}));
  EXPECT_EQ(some.lat_ns, (std::vector<double>{7, 9, 0, 0}));
  EXPECT_FALSE(some.attained);
}

TEST(SteadyState, AValueAtTheLimitIsNotSteady) {
  EXPECT_FALSE(after(rule(job::fields::SteadyOf::iops, false, 10, false, 2), {90, 110}).attained());
  EXPECT_TRUE(after(rule(job::fields::SteadyOf::iops, false, 10.1, false, 2), {90, 110}).attained());
  EXPECT_FALSE(after(rule(job::fields::SteadyOf::lat, true, 20, false, 2), {110, 90}).attained())
      << "a fall is no rest";
  EXPECT_TRUE(after(rule(job::fields::SteadyOf::lat, true, 20.1, false, 2), {110, 90}).attained());
  EXPECT_FALSE(after(rule(job::fields::SteadyOf::bw, false, 50, true, 2), {0, 0}).attained())
      << "nothing is not steady";
}

TEST(SteadyState, EachCriterionLooksAtItsOwnValues) {
  const auto add_three = [](job::fields::SteadyOf of) {
    SteadyState state(rule(of, false, 1, true, 2));
    state.add({100, 1000, 50});
    state.add({of == job::fields::SteadyOf::iops ? 100.0 : 200.0, of == job::fields::SteadyOf::bw ? 1000.0 : 2000.0,
               of == job::fields::SteadyOf::lat ? 50.0 : 100.0});
    return state;
  };
  for (const auto of : {job::fields::SteadyOf::iops, job::fields::SteadyOf::bw, job::fields::SteadyOf::lat}) {
    EXPECT_TRUE(add_three(of).attained());
    EXPECT_EQ(add_three(of).result().lat_ns.size(), of == job::fields::SteadyOf::lat ? 2u : 0u);
  }
}

}  // namespace
}  // namespace fathom::run::watch
