// The lines of the clock and of fathom's overhead, for machines made up: a sound one, and each thing that may be wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/doctor/sound_machine.h"

namespace fathom::audit::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DoctorClock, ASoundMachineHasNoProblem) {
  const auto facts = sound();
  EXPECT_THAT(problems(facts), IsEmpty());
  EXPECT_THAT(impossible(facts), IsEmpty());
  EXPECT_EQ(line_of(facts, "clock of a run").text, "cpu: it is invariant and passed");
  EXPECT_EQ(line_of(facts, "clock of a run").heading, "clock");
  EXPECT_EQ(line_of(facts, "cross-core test").text,
            "passed (long, of this boot), CPUs 0-2: the test detects an offset of 60 ns or more between two CPUs");
  EXPECT_EQ(line_of(facts, "calibration").text, "2500 MHz, from perf_event cap_user_time; checked within ± 4 ppm");
  EXPECT_EQ(line_of(facts, "drift").text, "below 0.75 ppm, measured by an earlier run of this boot (10 s)");
  EXPECT_EQ(line_of(facts, "reading gettimeofday").text, "25.0 ns, smallest step seen 1000 ns");
  EXPECT_THAT(line_of(facts, "loop at depth 1").text, HasSubstr("up to 1.7 M IOPS, this is less than 5 % of the time"));
  EXPECT_EQ(line_of(facts, "loop at depth 128").value, 40);
  EXPECT_EQ(line_of(facts, "loop at depth 128").heading, "overhead");
}

TEST(DoctorClock, ADriftAboveItsErrorHasASign) {
  auto facts = sound();
  facts.clock.drift_ppm = -2.5;
  EXPECT_EQ(line_of(facts, "drift").text, "-2.5 ppm (± 0.5), measured by an earlier run of this boot (10 s)");
}

TEST(DoctorClock, ACrossCoreTestThatCouldNotRunNamesTheReason) {
  auto facts = sound();
  facts.clock.verdict = "not tested";
  facts.clock.reason = "CPU 1 did not run";
  EXPECT_EQ(line_of(facts, "cross-core test").text, "not tested: CPU 1 did not run");
  EXPECT_THAT(line_of(facts, "cross-core test").remedy, HasSubstr("`fathom clock test`, which waits for the CPUs"));
}

struct ClockProblem {
  const char* name;
  void (*make)(Facts&);
  std::vector<std::string> lines;
};
const ClockProblem kClockProblems[] = {
    {"fell_back", [](Facts& f) { f.clock.source = "clock_gettime"; }, {"clock of a run"}},
    {"test_failed", [](Facts& f) { f.clock.verdict = "failed"; }, {"cross-core test"}},
    {"test_not_made", [](Facts& f) { f.clock.verdict = "not tested"; }, {"cross-core test"}},
    {"loose_rate", [](Facts& f) { f.clock.calibration_error_ppm = 101; }, {"calibration"}},
    {"drift_unknown", [](Facts& f) { f.clock.drift_ppm.reset(); }, {"drift"}},
    {"drift_large", [](Facts& f) { f.clock.drift_ppm = -101; }, {"drift"}},
    {"counter_traps", [](Facts& f) { f.readings[0].read_ns = 1500; }, {"reading cpu"}},
    {"no_vdso", [](Facts& f) { f.readings[1].read_ns = 300; }, {"reading clock_gettime"}},
    {"slow_record", [](Facts& f) { f.record_ns = 51; }, {"recording a latency"}},
    {"slow_loop", [](Facts& f) { f.loop_ns_depth_1 = 900; }, {"loop at depth 1"}},
    {"no_loop", [](Facts& f) { f.loop_ns_depth_128.reset(); }, {"loop at depth 128"}},
};
class DoctorClockProblem : public ::testing::TestWithParam<ClockProblem> {};

TEST_P(DoctorClockProblem, MarksItsLineOnly) {
  auto facts = sound();
  GetParam().make(facts);
  EXPECT_EQ(problems(facts), GetParam().lines);
  for (const auto& name : GetParam().lines) EXPECT_EQ(line_of(facts, name).severity, result::Severity::warning) << name;
}
INSTANTIATE_TEST_SUITE_P(All, DoctorClockProblem, ::testing::ValuesIn(kClockProblems),
                         [](const auto& i) { return i.param.name; });

TEST(DoctorClock, WithoutTheCpuClockLatenciesBelowAMicrosecondCannotBeMeasured) {
  auto facts = sound();
  facts.clock.source = "clock_gettime";
  facts.clock.reason = "the counter is not invariant";
  EXPECT_THAT(impossible(facts), ElementsAre("latencies below 1 us"));
  EXPECT_EQ(doctor_checks(facts).abilities[0].cause, "clock of a run: clock_gettime: the counter is not invariant");
  EXPECT_FALSE(has_line(facts, "calibration")) << "it is unused";
}

}  // namespace
}  // namespace fathom::audit::doctor
