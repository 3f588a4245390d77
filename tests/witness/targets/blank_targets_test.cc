// What blocks of zeros before a run say of its reads.
#include "witness/targets/blank_targets.h"

#include <gtest/gtest.h>

namespace fathom::witness::targets {
namespace {

using result::Severity;

BlankFacts facts(std::uint64_t zeros, bool can_drop_blocks = true) {
  return {.job = "t", .device = "/dev/vdb", .samples = 32, .zeros = zeros, .can_drop_blocks = can_drop_blocks};
}

TEST(BlankDevice, FailsFromHalfOfTheSamplesOn) {
  EXPECT_FALSE(blank_finding(facts(4))) << "free space of a disk in use";
  EXPECT_EQ(blank_finding(facts(5))->severity, Severity::warning);
  EXPECT_EQ(blank_finding(facts(15))->severity, Severity::warning);
  for (const std::uint64_t zeros : {16, 30, 32}) {
    const auto found = blank_finding(facts(zeros));
    EXPECT_EQ(found->severity, Severity::error);
    EXPECT_NEAR(found->effect->value, static_cast<double>(zeros) / 32, 1e-9);
  }
}

TEST(BlankDevice, ThatCannotDropBlocksMayHoldZeros) {
  EXPECT_FALSE(blank_finding(facts(31, false)));
  EXPECT_EQ(blank_finding(facts(32, false))->severity, Severity::warning);
}

// A mix fills the device while it reads it, and a reader may meet what a writer beside it wrote.
TEST(BlankDevice, ThatIsWrittenMeanwhileIsAWarning) {
  auto mixed = facts(32);
  mixed.written_meanwhile = true;
  const auto found = blank_finding(mixed);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->severity, Severity::warning);
  EXPECT_NE(found->evidence.find("when the run began"), std::string::npos);
}

TEST(BlankDevice, ThatIsOnlyTrimmedHasLittleToTrim) {
  auto trimmed = facts(20);
  trimmed.trims = true;
  const auto found = blank_finding(trimmed);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, "run.nothing_to_trim");
  EXPECT_EQ(found->severity, Severity::warning);
  trimmed.zeros = 15;
  EXPECT_FALSE(blank_finding(trimmed)) << "most blocks have something to trim";
}

TEST(BlankDevice, OfFewSamplesIsNotJudged) {
  auto few = facts(7);
  few.samples = 7;
  EXPECT_FALSE(blank_finding(few));
}

}  // namespace
}  // namespace fathom::witness::targets
