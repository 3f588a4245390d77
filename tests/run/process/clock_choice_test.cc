// Which clock the jobs of a run get, on machines made up for it: a sound one, unfit ones, one without a rate.
#include "run/process/clock_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/fields/cpus.h"

namespace fathom::run::process {
namespace {

using clock::Outcome;
using clock::sources::Source;
using job::ClockSource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

#if defined(__aarch64__)
constexpr const char* kKernelClock = "arch_sys_counter";
#else
constexpr const char* kKernelClock = "tsc";
#endif

struct Machine {
  clock::Fitness fitness;
  bool rate = true;  // the counter can be calibrated
  int tests = 0, calibrations = 0;
  std::vector<unsigned> tested;

  Machine() {
    fitness.invariant = true;
    fitness.kernel.clocksource = kKernelClock;
    fitness.test.outcome = Outcome::passed;
    fitness.test.kind = clock::TestKind::brief;
    fitness.test.cpus = {0, 1};
    fitness.test.detectable_ticks = 100;
    fitness.test.text = "the words of the test";
  }
  void fail_test() {
    fitness.test.outcome = Outcome::failed;
    fitness.test.mismatches = 12;
  }
  ClockTools tools() {
    ClockTools t;
    t.fitness = [this](const std::vector<unsigned>& cpus) {
      ++tests;
      tested = cpus;
      return fitness;
    };
    t.calibrate = [this](Source source) {
      ++calibrations;
      clock::sources::Calibration c;
      c.source = source;
      c.method = "made up";
      if (source == Source::cpu && rate) {
        c.ticks_per_second = 2e9;
        c.conversion = clock::sources::Conversion::of_frequency(2e9);
        c.error_ppm = 3;
      } else if (source == Source::cpu) {
        c.source = Source::clock_gettime;
        c.notes = {"the counter stood still"};
      }
      return c;
    };
    t.cost = [](const clock::sources::Calibration& c) {
      return c.source == Source::gettimeofday ? SourceCost{25, 1000} : SourceCost{9, 0.5};
    };
    return t;
  }
};

files::Plan plan_of(ClockSource source, const char* engine = "psync", std::vector<int> cpus = {}) {
  files::Plan plan;
  plan.job.clocksource = source;
  plan.job.ioengine = engine;
  plan.job.own.get<job::fields::Cpus>().allowed = std::move(cpus);
  return plan;
}

RunClocks clocks_of(Machine& machine, const std::vector<files::Plan>& plans) {
  return {plans, machine.tools(), {0, 1, 2, 3}};
}

TEST(ClockChoice, ASoundCpuClockIsChosenAndItsTestIsReported) {
  Machine m;
  const std::vector<files::Plan> plans{plan_of(ClockSource::automatic)};
  const auto clocks = clocks_of(m, plans);
  const auto& f = clocks.facts(plans[0].job);
  EXPECT_EQ(f.source, "cpu");
  EXPECT_EQ(f.verdict, "passed");
  EXPECT_EQ(f.test, "short");
  EXPECT_EQ(f.cpus_tested, "0-1");
  EXPECT_DOUBLE_EQ(f.detectable_ns, 50);
  EXPECT_DOUBLE_EQ(f.ticks_per_second, 2e9);
  EXPECT_DOUBLE_EQ(f.calibration_error_ppm, 3);
  EXPECT_DOUBLE_EQ(f.resolution_ns, 0.5);
  EXPECT_DOUBLE_EQ(f.read_cost_ns, 9);
  EXPECT_TRUE(f.fit && !f.fell_back && !f.check_skipped);
  ASSERT_NE(clocks.cpu_calibration(), nullptr);
  EXPECT_EQ(clocks.calibration(plans[0].job).source, Source::cpu);
}

struct Unfit {
  const char* name;
  void (*make)(Machine&);
  const char* word;
};
constexpr Unfit kUnfit[] = {
    {"not_invariant", [](Machine& m) { m.fitness.invariant = false; }, "not invariant"},
    {"test_failed", [](Machine& m) { m.fail_test(); }, "the words of the test"},
    {"drifted", [](Machine& m) { m.fitness.drift_ppm = -150; }, "-150 ppm"},
    {"kernel_found_it_unstable", [](Machine& m) { m.fitness.kernel.unstable = "clocksource watchdog"; }, "watchdog"},
    {"kernel_uses_another_and_no_test",
     [](Machine& m) { m.fitness.kernel.clocksource = "hpet", m.fitness.test.outcome = Outcome::not_tested; }, "hpet"},
};
class UnfitClock : public ::testing::TestWithParam<Unfit> {};

TEST_P(UnfitClock, IsUsedOnlyWhenAskedForAndThenReported) {
  Machine m;
  GetParam().make(m);
  const std::vector<files::Plan> plans{plan_of(ClockSource::automatic), plan_of(ClockSource::cpu)};
  const auto clocks = clocks_of(m, plans);
  const auto& fell_back = clocks.facts(plans[0].job);
  EXPECT_EQ(fell_back.source, "clock_gettime");
  EXPECT_EQ(clocks.calibration(plans[0].job).source, Source::clock_gettime);
  EXPECT_TRUE(fell_back.fell_back);
  EXPECT_FALSE(fell_back.fit);
  EXPECT_THAT(fell_back.reason, HasSubstr(GetParam().word));
  const auto& asked = clocks.facts(plans[1].job);
  EXPECT_EQ(asked.source, "cpu");
  EXPECT_FALSE(asked.fit || asked.fell_back);
  EXPECT_THAT(asked.reason, HasSubstr(GetParam().word));
}
INSTANTIATE_TEST_SUITE_P(All, UnfitClock, ::testing::ValuesIn(kUnfit), [](const auto& i) { return i.param.name; });

TEST(ClockChoice, AFailedTestIsReportedWithTheFallbackClock) {
  Machine m;
  m.fail_test();
  const std::vector<files::Plan> plans{plan_of(ClockSource::automatic)};
  const auto clocks = clocks_of(m, plans);
  EXPECT_EQ(clocks.facts(plans[0].job).verdict, "failed");
  EXPECT_EQ(clocks.facts(plans[0].job).mismatches, 12u);
  EXPECT_EQ(clocks.cpu_calibration(), nullptr);
}

TEST(ClockChoice, ACounterWithoutARateIsReplacedEvenWhenAskedFor) {
  for (const auto source : {ClockSource::automatic, ClockSource::cpu}) {
    Machine m;
    m.rate = false;
    const std::vector<files::Plan> plans{plan_of(source)};
    const auto clocks = clocks_of(m, plans);
    const auto& f = clocks.facts(plans[0].job);
    EXPECT_EQ(f.source, "clock_gettime");
    EXPECT_TRUE(f.fell_back);
    EXPECT_THAT(f.reason, HasSubstr("stood still"));
    EXPECT_EQ(clocks.calibration(plans[0].job).source, Source::clock_gettime);
    EXPECT_DOUBLE_EQ(f.detectable_ns, 0);
  }
}

TEST(ClockChoice, ATestThatCouldNotBeMadeSaysWhy) {
  Machine m;
  m.fitness.test.outcome = Outcome::not_tested;
  const std::vector<files::Plan> plans{plan_of(ClockSource::automatic)};
  const auto clocks = clocks_of(m, plans);
  const auto& f = clocks.facts(plans[0].job);
  EXPECT_EQ(f.verdict, "not tested");
  EXPECT_EQ(f.test, "none");
  EXPECT_THAT(f.cpus_tested, IsEmpty());
  EXPECT_THAT(f.reason, HasSubstr("the words of the test"));
}

TEST(ClockChoice, TheCpuClockIsOnlyTestedWhereAJobMayStampWithIt) {
  Machine m;
  const std::vector<files::Plan> plans{plan_of(ClockSource::gettimeofday), plan_of(ClockSource::clock_gettime),
                                       plan_of(ClockSource::cpu, "sim")};
  const auto clocks = clocks_of(m, plans);
  EXPECT_EQ(m.tests, 0);
  EXPECT_EQ(m.calibrations, 2);
  EXPECT_EQ(clocks.facts(plans[0].job).source, "gettimeofday");
  EXPECT_DOUBLE_EQ(clocks.facts(plans[0].job).resolution_ns, 1000);
  EXPECT_TRUE(clocks.facts(plans[0].job).fit);
  EXPECT_EQ(clocks.facts(plans[1].job).source, "clock_gettime");
  EXPECT_EQ(clocks.facts(plans[2].job).source, "sim");
  EXPECT_EQ(clocks.cpu_calibration(), nullptr);
}

TEST(ClockChoice, AThousandJobsAreTestedAndCalibratedOnce) {
  Machine m;
  const std::vector<files::Plan> plans(1000, plan_of(ClockSource::automatic));
  const auto clocks = clocks_of(m, plans);
  EXPECT_EQ(m.tests, 1);
  EXPECT_EQ(m.calibrations, 1);
}

TEST(ClockChoice, ASkippedCheckIsReportedOfTheCpuClockAlone) {
  Machine m;
  m.fitness.test = {};
  auto tools = m.tools();
  tools.check_skipped = true;
  const std::vector<files::Plan> plans{plan_of(ClockSource::automatic), plan_of(ClockSource::gettimeofday)};
  const RunClocks clocks(plans, tools, {0});
  EXPECT_TRUE(clocks.facts(plans[0].job).check_skipped);
  EXPECT_EQ(clocks.facts(plans[0].job).verdict, "not tested");
  EXPECT_FALSE(clocks.facts(plans[1].job).check_skipped);
}

TEST(ClockChoice, TestsTheCpusOfJobsThatMayUseTheCpuClock) {
  Machine m;
  clocks_of(m, {plan_of(ClockSource::automatic, "psync", {3}), plan_of(ClockSource::cpu, "psync", {1, 9}),
                plan_of(ClockSource::gettimeofday, "psync", {2}), plan_of(ClockSource::cpu, "sim", {0})});
  EXPECT_THAT(m.tested, ElementsAre(1, 3, 9));  // 9 cannot be tested from here, and the test will say so
  clocks_of(m, {plan_of(ClockSource::automatic, "psync", {3}), plan_of(ClockSource::automatic)});
  EXPECT_THAT(m.tested, ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace fathom::run::process
