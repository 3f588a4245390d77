// Which findings and facts make a run not to be believed.
#include "result/sums/belief.h"

#include <gtest/gtest.h>

namespace fathom::result::sums {
namespace {

Belief of(const Believed& b, Aspect aspect) { return b.of[static_cast<std::size_t>(aspect)]; }

result::Run with(std::initializer_list<Finding> findings) {
  result::Run run;
  run.findings = findings;
  return run;
}

TEST(Believed, WithoutADoubtItIs) {
  const auto b = believed(with({{"run.page_cache", Severity::note, "", "", ""}}));
  EXPECT_EQ(b.all, Belief::yes);
  EXPECT_EQ(b.doubts, (std::array<unsigned, kAspects>{}));
  EXPECT_NE(b.worst, nullptr);
}

TEST(Believed, TheWorstDoubtOfAllRules) {
  const auto run = with({{"clock.coarse", Severity::warning, "", "first", ""},
                         {"rate.not_kept", Severity::error, "", "second", ""},
                         {"memory.max", Severity::error, "", "third", ""},
                         {"audit.lost", Severity::note, "", "fourth", ""}});
  const auto b = believed(run);
  EXPECT_EQ(b.all, Belief::no);
  EXPECT_EQ(of(b, Aspect::delivery), Belief::no);
  EXPECT_EQ(of(b, Aspect::clock), Belief::with_care);
  EXPECT_EQ(of(b, Aspect::machine), Belief::no);
  EXPECT_EQ(of(b, Aspect::audit), Belief::yes);
  ASSERT_NE(b.worst, nullptr);
  EXPECT_EQ(b.worst->evidence, "second") << "the first of the worst";
}

TEST(Believed, NotWhereAWitnessDisagreesOrAJobFailed) {
  result::Run run;
  run.audit.emplace().verdict = Verdict::disagrees;
  EXPECT_EQ(of(believed(run), Aspect::audit), Belief::no);
  run.audit.reset();
  EXPECT_EQ(believed(run).all, Belief::yes);
  run.jobs.emplace_back().error_count = 1;
  EXPECT_EQ(of(believed(run), Aspect::delivery), Belief::no);
}

TEST(Believed, WithCareWhereItWasInterrupted) {
  result::Run run;
  run.interrupted = true;
  EXPECT_EQ(of(believed(run), Aspect::delivery), Belief::with_care);
}

}  // namespace
}  // namespace fathom::result::sums
