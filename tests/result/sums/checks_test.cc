// Which findings and facts decide over the checks of a run.
#include "result/sums/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::result::sums {
namespace {

using testing::ElementsAre;

Outcome of(const Checks& b, Area area) { return b.of[static_cast<std::size_t>(area)]; }

result::Run with(std::initializer_list<Finding> findings) {
  result::Run run;
  run.findings = findings;
  return run;
}

TEST(Checks, PassWithNotesAlone) {
  const auto b = checks_of(with({{"run.page_cache", Severity::note, "", "", ""}}));
  EXPECT_EQ(b.all, Outcome::passed);
  EXPECT_EQ(b.counts, (std::array<unsigned, kAreas>{}));
  EXPECT_NE(b.worst, nullptr);
}

TEST(Checks, AreAsTheWorstFinding) {
  const auto run = with({{"clock.coarse", Severity::warning, "", "first", ""},
                         {"rate.not_kept", Severity::error, "", "second", ""},
                         {"memory.max", Severity::error, "", "third", ""},
                         {"audit.lost", Severity::note, "", "fourth", ""}});
  const auto b = checks_of(run);
  EXPECT_EQ(b.all, Outcome::failed);
  EXPECT_EQ(of(b, Area::delivery), Outcome::failed);
  EXPECT_EQ(of(b, Area::clock), Outcome::warnings);
  EXPECT_EQ(of(b, Area::machine), Outcome::failed);
  EXPECT_EQ(of(b, Area::audit), Outcome::passed);
  ASSERT_NE(b.worst, nullptr);
  EXPECT_EQ(b.worst->evidence, "second") << "the first of the worst";
  EXPECT_THAT(b.decided_by, ElementsAre("rate.not_kept", "memory.max"));
  EXPECT_EQ(b.warnings, 1u);
}

TEST(Checks, ShowTheLargestEffectFirst) {
  const auto of_effect = [](const char* id, std::optional<Effect> effect) {
    Finding finding{id, Severity::warning, "", "", ""};
    finding.effect = effect;
    return finding;
  };
  const auto clock = of_effect("clock.coarse", Effect{EffectOn::latency, 0.01}), other = of_effect("cpu.max", {}),
             bytes = of_effect("audit.holes", Effect{EffectOn::bytes, 0.9});
  EXPECT_EQ(checks_of(with({clock, other, bytes})).worst->id, "audit.holes");
  EXPECT_EQ(checks_of(with({clock, other})).worst->id, "cpu.max");
  EXPECT_EQ(checks_of(with({other, clock})).worst->id, "cpu.max");
  const auto coarse = of_effect("clock.coarse", Effect{EffectOn::latency, 100});
  EXPECT_EQ(checks_of(with({bytes, coarse})).worst->id, "clock.coarse");
  const auto waited = of_effect("cpu.wait", Effect{EffectOn::time, 0.91});
  EXPECT_EQ(checks_of(with({waited, bytes})).worst->id, "audit.holes") << "about as large";
  const auto shallow = of_effect("delivery.depth", Effect{EffectOn::time, 0.95});
  EXPECT_EQ(checks_of(with({shallow, waited})).worst->id, "cpu.wait") << "its cause";
}

TEST(Checks, FailWhereAWitnessDisagreesOrAJobFailed) {
  result::Run run;
  run.audit.emplace().verdict = Verdict::disagrees;
  EXPECT_EQ(of(checks_of(run), Area::audit), Outcome::failed);
  run.audit.reset();
  EXPECT_EQ(checks_of(run).all, Outcome::passed);
  run.jobs.emplace_back().error_count = 1;
  EXPECT_EQ(of(checks_of(run), Area::delivery), Outcome::failed);
  EXPECT_THAT(checks_of(run).decided_by, ElementsAre("errors"));
}

// A warning of a large effect is not why a run failed.
TEST(Checks, TheReasonIsOneThatDecided) {
  auto run = with({{"rate.not_kept", Severity::warning, "", "rate", "", {}, Effect{EffectOn::time, 0.9}},
                   {"audit.disagrees", Severity::warning, "", "bytes", "", {}, Effect{EffectOn::bytes, 0.05}}});
  EXPECT_EQ(checks_of(run).worst->evidence, "rate");
  run.audit.emplace().verdict = Verdict::disagrees;
  EXPECT_EQ(checks_of(run).all, Outcome::failed);
  EXPECT_EQ(checks_of(run).worst->evidence, "bytes");
  run.findings.push_back({"run.no_medium", Severity::error, "", "medium", ""});
  EXPECT_EQ(checks_of(run).worst->evidence, "medium");
}

TEST(Checks, FailWhereARepetitionDoes) {
  result::Run run;
  run.repetitions.resize(2);
  EXPECT_FALSE(has_failed(run));
  run.repetitions[1].audit.emplace().verdict = Verdict::disagrees;
  EXPECT_TRUE(has_failed(run));
  const auto checks = checks_of(run, run.repetitions);
  EXPECT_EQ(checks.all, Outcome::failed);
  EXPECT_EQ(checks.repetition, 2u);
  EXPECT_THAT(checks.decided_by, ElementsAre("repetitions"));
  run.findings.push_back({"run.no_medium", Severity::error, "", "medium", ""});
  EXPECT_EQ(checks_of(run, run.repetitions).repetition, 0u) << "the one that is shown failed too";
}

TEST(Checks, WarnOfWhatARepetitionThatIsNotShownHas) {
  result::Run run = with({{"cpu.wait", Severity::warning, "", "waited", ""}});
  run.findings[0].effect = Effect{EffectOn::time, 0.2};
  run.repetitions = {run, run};
  EXPECT_EQ(checks_of(run, run.repetitions).repetition, 0u);
  run.repetitions[1].findings.push_back({"audit.page_cache", Severity::warning, "", "from memory", ""});
  run.repetitions[1].findings[1].effect = Effect{EffectOn::bytes, 1};
  const auto checks = checks_of(run, run.repetitions);
  EXPECT_EQ(checks.all, Outcome::warnings);
  EXPECT_EQ(checks.repetition, 2u);
  EXPECT_EQ(checks.worst->id, "audit.page_cache");
  run.findings.clear();
  EXPECT_EQ(checks_of(run, run.repetitions).all, Outcome::warnings);
}

TEST(Checks, AreNotMadeWhileAJobRuns) {
  result::Run run;
  run.jobs.resize(2);
  run.jobs[1].running = true;
  EXPECT_EQ(checks_of(run).all, Outcome::not_checked);
  EXPECT_THAT(checks_of(run).decided_by, ElementsAre("running"));
  run.findings.push_back({"clock.coarse", Severity::warning, "", "coarse", ""});
  EXPECT_EQ(checks_of(run).all, Outcome::warnings);
  run.findings.clear();
  run.jobs[1].running = false;
  EXPECT_EQ(checks_of(run).all, Outcome::passed);
}

TEST(Checks, WarnWhereItWasInterrupted) {
  result::Run run;
  run.interrupted = true;
  EXPECT_EQ(of(checks_of(run), Area::delivery), Outcome::warnings);
}

}  // namespace
}  // namespace fathom::result::sums
