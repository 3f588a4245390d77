// Runs whose checks failed: they are said before any verdict, and no condition holds for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/comparison.h"

namespace fathom::compare {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

result::Run run_of(std::uint64_t ios, bool fails) {
  result::Run run;
  result::Job job;
  job.name = "t";
  auto& read = job.dirs[0];
  read.ios = ios, read.bytes = ios * 4096, read.runtime_ns = 1'000'000'000, read.runtime_ms = 1000;
  for (int i = 0; i < 100; ++i) read.clat.moments_ns.add(80'000), read.clat.histogram_ns.add(80'000);
  run.jobs = {job};
  if (fails) run.findings = {{"audit.holes", result::Severity::error, "", "no device was measured", "fill the file"}};
  return run;
}

result::Compare compared(bool fails) {
  Comparison comparison({.fail_if = {*fail_if("iops<-5%")}}, {"a", "b"});
  for (std::uint64_t i = 0; i < 4; ++i) {
    comparison.add(0, "a", run_of(10'000 + 10 * i, false));
    comparison.add(1, "b", run_of(30'000 + 10 * i, fails));
  }
  return *comparison.finish("fathom");
}

TEST(ComparedChecks, ThatFailedFailTheCondition) {
  const auto sound = compared(false);
  EXPECT_EQ(sound.sides[1].failed_runs, 0u);
  EXPECT_EQ(sound.conditions.at(0).outcome, result::Outcome::passed);
  const auto of_no_device = compared(true);
  EXPECT_EQ(of_no_device.sides[0].failed_runs, 0u);
  EXPECT_EQ(of_no_device.sides[1].failed_runs, 4u);
  EXPECT_THAT(of_no_device.sides[1].failed_by, ElementsAre("audit.holes"));
  EXPECT_EQ(of_no_device.conditions.at(0).outcome, result::Outcome::failed);
  EXPECT_THAT(of_no_device.conditions.at(0).text, HasSubstr("the checks of 4 of 4 runs of B failed: audit.holes"));
}

TEST(ComparedChecks, WarningsOfAllRunsAreNamed) {
  result::Finding waited{"cpu.wait", result::Severity::warning, "t", "", ""};
  waited.effect = result::Effect{result::EffectOn::time, 0.8};
  const auto notes_of = [&](std::uint64_t last_with_warning) {
    Comparison comparison({}, {"a", "b"});
    for (std::uint64_t i = 0; i < 4; ++i)
      for (const std::size_t side : {0, 1}) {
        auto run = run_of(10'000 + 10 * i, false);
        if (side == 0 || i <= last_with_warning) run.findings = {waited};
        comparison.add(side, side == 0 ? "a" : "b", run);
      }
    return comparison.finish("fathom")->warnings;
  };
  EXPECT_THAT(notes_of(3), Contains(HasSubstr("every run has the finding cpu.wait")));
  EXPECT_THAT(notes_of(2), Not(Contains(HasSubstr("cpu.wait")))) << "a difference";
  waited.effect->value = 0.02;
  EXPECT_THAT(notes_of(3), Not(Contains(HasSubstr("cpu.wait")))) << "small";
}

}  // namespace
}  // namespace fathom::compare
