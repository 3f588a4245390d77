// The lines of `fathom doctor` for machines made up: one that is sound, and each thing that may be wrong with one.
#include "audit/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::audit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

DoctorFacts sound() {
  DoctorFacts f;
  f.clock.source = "cpu";
  f.clock.reason = "it is invariant and passed";
  f.clock.verdict = "passed";
  f.clock.test = "long";
  f.clock.test_cached = true;
  f.clock.cpus_tested = "0-2";
  f.clock.detectable_ns = 60;
  f.clock.ticks_per_second = 2.5e9;
  f.clock.calibration = "perf_event cap_user_time";
  f.clock.calibration_error_ppm = 4;
  f.clock.drift_ppm = -0.25;
  f.clock.drift_bound_ppm = 0.5;
  f.drift_over_s = 10;
  f.readings = {{"cpu", 8, 0.4}, {"clock_gettime", 24, 1}, {"gettimeofday", 25, 1000}};
  f.record_ns = 1.5;
  f.loop_ns_depth_1 = 30;
  f.loop_ns_depth_128 = 40;
  return f;
}

std::vector<std::string> doubts(const DoctorFacts& facts) {
  std::vector<std::string> names;
  for (const auto& line : doctor_checks(facts))
    if (!line.ok()) names.push_back(line.name);
  return names;
}

result::DoctorCheck line_of(const DoctorFacts& facts, const std::string& name) {
  for (const auto& line : doctor_checks(facts))
    if (line.name == name) return line;
  ADD_FAILURE() << "no line " << name;
  return {};
}

TEST(Doctor, ASoundMachineHasNoDoubts) {
  const auto facts = sound();
  EXPECT_THAT(doubts(facts), IsEmpty());
  EXPECT_EQ(line_of(facts, "clock of a run").text, "cpu: it is invariant and passed");
  EXPECT_EQ(line_of(facts, "cross-core test").text,
            "passed (long, of this boot), CPUs 0-2: the test detects an offset of 60 ns or more between two CPUs");
  EXPECT_EQ(line_of(facts, "calibration").text, "2500 MHz by perf_event cap_user_time (± 4 ppm)");
  EXPECT_EQ(line_of(facts, "drift").text, "-0.25 ppm (± 0.5) over 10 s, the value stored for this boot");
  EXPECT_EQ(line_of(facts, "reading gettimeofday").text, "25.0 ns, smallest step seen 1000 ns");
  EXPECT_THAT(line_of(facts, "loop at depth 1").text, HasSubstr("under 5 % of a job's time up to 1.7 M IOPS"));
  EXPECT_EQ(line_of(facts, "loop at depth 128").value, 40);
}

TEST(Doctor, ACrossCoreTestThatCouldNotRunNamesTheReason) {
  auto facts = sound();
  facts.clock.verdict = "not tested";
  facts.clock.reason = "CPU 1 did not run";
  EXPECT_EQ(line_of(facts, "cross-core test").text, "not tested: CPU 1 did not run");
  EXPECT_THAT(line_of(facts, "cross-core test").remedy, HasSubstr("`fathom clock test`, which waits for the CPUs"));
}

struct Doubt {
  const char* name;
  void (*make)(DoctorFacts&);
  std::vector<std::string> lines;
};
const Doubt kDoubts[] = {
    {"fell_back", [](DoctorFacts& f) { f.clock.source = "clock_gettime"; }, {"clock of a run"}},
    {"test_failed", [](DoctorFacts& f) { f.clock.verdict = "failed"; }, {"cross-core test"}},
    {"test_not_made", [](DoctorFacts& f) { f.clock.verdict = "not tested"; }, {"cross-core test"}},
    {"loose_rate", [](DoctorFacts& f) { f.clock.calibration_error_ppm = 101; }, {"calibration"}},
    {"drift_unknown", [](DoctorFacts& f) { f.clock.drift_ppm.reset(); }, {"drift"}},
    {"drift_large", [](DoctorFacts& f) { f.clock.drift_ppm = -101; }, {"drift"}},
    {"counter_traps", [](DoctorFacts& f) { f.readings[0].read_ns = 1500; }, {"reading cpu"}},
    {"no_vdso", [](DoctorFacts& f) { f.readings[1].read_ns = 300; }, {"reading clock_gettime"}},
    {"slow_record", [](DoctorFacts& f) { f.record_ns = 51; }, {"recording a latency"}},
    {"slow_loop", [](DoctorFacts& f) { f.loop_ns_depth_1 = 900; }, {"loop at depth 1"}},
    {"no_loop", [](DoctorFacts& f) { f.loop_ns_depth_128.reset(); }, {"loop at depth 128"}},
};
class DoctorDoubt : public ::testing::TestWithParam<Doubt> {};

TEST_P(DoctorDoubt, MarksItsLineOnly) {
  auto facts = sound();
  GetParam().make(facts);
  EXPECT_EQ(doubts(facts), GetParam().lines);
}
INSTANTIATE_TEST_SUITE_P(All, DoctorDoubt, ::testing::ValuesIn(kDoubts), [](const auto& i) { return i.param.name; });

TEST(Doctor, AnUnusedCalibrationHasNoLine) {
  auto facts = sound();
  facts.clock.source = "clock_gettime";
  for (const auto& line : doctor_checks(facts)) EXPECT_NE(line.name, "calibration");
}

TEST(Doctor, TellsLimitsOfTheContainer) {
  auto facts = sound();
  EXPECT_EQ(line_of(facts, "limits of cgroups").text, "no limit of CPU time or I/O");
  facts.cpu_quotas = {{"cpu.max of /: 50000 100000", 0.5, 7, 1000}};
  facts.io_limits = {"io.max of /: 8:0 riops=500"};
  EXPECT_EQ(line_of(facts, "limit of CPU time").text,
            "cpu.max of /: 50000 100000: 0.5 CPUs; its tasks were stopped 7 times so far");
  EXPECT_EQ(line_of(facts, "limit of CPU time").value, 0.5);
  EXPECT_EQ(doubts(facts), (std::vector<std::string>{"limit of CPU time", "limit of I/O"}));
}

}  // namespace
}  // namespace fathom::audit
