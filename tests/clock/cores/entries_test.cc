// What made-up entries say: offsets of known size and sign, drift, ties, CPUs that never meet.
#include "clock/cores/entries.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "clock/cores/cross_core.h"
#include "clock/made_entries.h"

namespace fathom::clock::cores {
namespace {

Findings found(const MadeTest& test, unsigned seed = 1) { return analyse(test.record(seed)); }

TEST(CrossCoreEntries, SynchronousCountersAgree) {
  const auto f = found({.cpus = {{0}, {1}}});
  EXPECT_EQ(f.mismatches, 0u);
  EXPECT_EQ(f.entries, 8000u);
  ASSERT_EQ(f.pairs.size(), 1u);
  const Pair& p = f.pairs[0];
  EXPECT_EQ(p.a_to_b.smallest_gap, 100);
  EXPECT_EQ(p.b_to_a.smallest_gap, 100);
  EXPECT_EQ(p.steadiness, Steadiness::steady);
  EXPECT_EQ(p.offset, 0);
  EXPECT_EQ(p.offset_bound, 100);
  EXPECT_EQ(f.detectable, 101u);
  EXPECT_LE(p.drift.low_ppm, 0);
  EXPECT_GE(p.drift.high_ppm, 0);
}

TEST(CrossCoreEntries, AnOffsetShowsWithItsSign) {
  for (const std::int64_t offset : {519, -519, 2596, -2596}) {
    const auto f = found({.cpus = {{0}, {7, offset}}});
    EXPECT_GT(f.mismatches, 0u);
    EXPECT_EQ(f.largest_backward, static_cast<std::uint64_t>(std::abs(offset) - 100));
    const Pair& p = f.pairs[0];
    EXPECT_EQ(p.a, 0u);
    EXPECT_EQ(p.b, 7u);
    EXPECT_EQ(p.offset, offset);  // the gaps are alike in both directions here, so the middle is the offset itself
    EXPECT_EQ(p.offset_bound, 100);
    EXPECT_EQ(p.steadiness, Steadiness::steady);
    const Direction& wrong = offset > 0 ? p.b_to_a : p.a_to_b;
    const Direction& sound = offset > 0 ? p.a_to_b : p.b_to_a;
    EXPECT_EQ(wrong.mismatches, f.mismatches);
    EXPECT_EQ(wrong.smallest_gap, 100 - std::abs(offset));
    EXPECT_EQ(sound.mismatches, 0u);
    EXPECT_EQ(sound.largest_backward, 0u);
    EXPECT_TRUE(f.at_fault.empty());
  }
}

TEST(CrossCoreEntries, AnOffsetWithinTheGapStaysWithinTheBound) {
  for (const std::int64_t offset : {52, -52, 100}) {
    const auto f = found({.cpus = {{0}, {1, offset}}});
    EXPECT_EQ(f.mismatches, 0u);
    EXPECT_LT(static_cast<std::uint64_t>(std::abs(offset)), f.detectable);
  }
  EXPECT_GT(found({.cpus = {{0}, {1, 101}}}).mismatches, 0u);
}

TEST(CrossCoreEntries, EqualTimesAreNotAMismatch) {
  const auto f = found({.cpus = {{0}, {1}}, .least_gap = 0, .spread = 2});
  EXPECT_EQ(f.mismatches, 0u);
  EXPECT_EQ(f.pairs[0].a_to_b.smallest_gap, 0);
  EXPECT_EQ(f.detectable, 1u);
}

TEST(CrossCoreEntries, DriftIsDistinguishedFromAnOffset) {
  for (const double ppm : {500.0, -500.0}) {
    const auto f = found({.cpus = {{0}, {1, 0, ppm}}, .entries = 20000});
    const Pair& p = f.pairs[0];
    EXPECT_GT(f.mismatches, 0u);
    EXPECT_EQ(p.steadiness, Steadiness::drifts);
    EXPECT_LE(p.drift.low_ppm, ppm);
    EXPECT_GE(p.drift.high_ppm, ppm);
    EXPECT_GT(p.drift.low_ppm * p.drift.high_ppm, 0) << "zero is ruled out";
    EXPECT_FALSE(p.detectable().has_value());
  }
}

TEST(CrossCoreEntries, AJumpIsUnsteady) {
  auto streams = MadeTest{.cpus = {{0}, {1}}}.record();
  for (auto& e : streams[1])
    if (e.sequence > 2000 && e.sequence < 5000) e.tsc += 50'000;
  EXPECT_EQ(analyse(streams).pairs[0].steadiness, Steadiness::unsteady);
}

TEST(CrossCoreEntries, TheFirstMismatchesAreKept) {
  const auto streams = MadeTest{.cpus = {{0}, {1, 519}}}.record();
  const auto f = analyse(streams, 3);
  ASSERT_EQ(f.first_mismatches.size(), 3u);
  for (const auto& m : f.first_mismatches) {
    EXPECT_EQ(m.earlier.cpu, 1u);
    EXPECT_EQ(m.later.cpu, 0u);
    EXPECT_EQ(m.later.sequence, m.earlier.sequence + 1);
    EXPECT_EQ(m.diff(), m.earlier.tsc - m.later.tsc);
  }
  EXPECT_EQ(analyse(streams, SIZE_MAX).first_mismatches.size(), f.mismatches);
}

TEST(CrossCoreEntries, ACounterThatRunsBackwardsIsCounted) {
  std::vector<std::vector<Entry>> streams{{{0, 3, 1000}, {1, 3, 900}, {2, 3, 1100}}};
  const auto f = analyse(streams);
  EXPECT_EQ(f.mismatches, 1u);
  EXPECT_EQ(f.cpus[0].backward, 1u);
  EXPECT_EQ(f.cpus[0].largest_backward, 100u);
  EXPECT_TRUE(f.pairs.empty());
  EXPECT_NE(text_of({f}).find("CPU 3 1 times against itself"), std::string::npos);
}

TEST(CrossCoreEntries, WithoutHandOversThereIsNoVerdict) {
  std::vector<std::vector<Entry>> streams(2);
  for (std::uint32_t s = 0; s < 200; ++s) streams[s < 100 ? 0 : 1].push_back({s, s < 100 ? 0u : 1u, 1000 + 10 * s});
  const auto f = analyse(streams);
  EXPECT_EQ(f.pairs_met, 0u);
  EXPECT_EQ(f.fewest_hand_overs, 0u);
  EXPECT_EQ(f.detectable, 0u);
  EXPECT_EQ(f.pairs[0].steadiness, Steadiness::unknown);
  EXPECT_EQ(outcome_of({f}), Outcome::not_tested);
  EXPECT_NE(
      text_of({f}).find("CPUs 0, 1 hardly ran at the same time: other programs keep them busy; end those, or omit"),
      std::string::npos)
      << text_of({f});
  TestRun brief{f};
  brief.max_ns = 8'000'000;
  EXPECT_NE(text_of(brief).find("in the 8 ms of the short test"), std::string::npos) << text_of(brief);
  EXPECT_NE(text_of(brief).find("`fathom clock test`"), std::string::npos) << "what to do";
  brief.started = false;
  brief.late = {1};
  EXPECT_NE(text_of(brief).find("CPU 1 did not run in the 8 ms of the short test: other programs keep it busy"),
            std::string::npos)
      << text_of(brief);
}

TEST(CrossCoreEntries, FewHandOversGiveNoVerdictUnlessTimeRanBackwards) {
  MadeTest few{.cpus = {{0}, {1}}, .entries = 12};
  EXPECT_EQ(outcome_of({found(few)}), Outcome::not_tested);
  few.entries = 100;
  EXPECT_EQ(outcome_of({found(few)}), Outcome::passed);
  MadeTest wrong{.cpus = {{0}, {1, 5000}}, .entries = 12};
  EXPECT_EQ(outcome_of({found(wrong)}), Outcome::failed);
}

TEST(CrossCoreEntries, OneCpuPassesAndTheWordsSaySo) {
  const auto f = found({.cpus = {{5}}});
  EXPECT_EQ(outcome_of({f}), Outcome::passed);
  EXPECT_EQ(f.detectable, 0u);
  EXPECT_NE(text_of({f}).find("with one CPU no comparison is possible"), std::string::npos);
}

TEST(CrossCoreEntries, WordsRoundTheDetectableOffsetUp) {
  const auto f = found({.cpus = {{0}, {1}}});
  EXPECT_NE(text_of({f}).find("an offset of 101 ticks or more"), std::string::npos);
  EXPECT_NE(text_of({f}, 2.6e9).find("an offset of 39 ns or more"), std::string::npos);  // 38.8
}

RC_GTEST_PROP(CrossCoreEntriesProperty, TheTrueOffsetLiesWithinTheBound, ()) {
  const auto offset = *rc::gen::inRange<std::int64_t>(-5000, 5000);
  const auto least = *rc::gen::inRange<std::uint64_t>(0, 500);
  const auto f =
      found({.cpus = {{0}, {1, offset}}, .entries = 500, .least_gap = least}, *rc::gen::arbitrary<unsigned>());
  const Pair& p = f.pairs[0];
  RC_ASSERT(p.steadiness == Steadiness::steady);
  RC_ASSERT(std::abs(p.offset - static_cast<double>(offset)) <= p.offset_bound);
  RC_ASSERT(f.mismatches == p.mismatches());
  RC_ASSERT(f.mismatches == 0 || static_cast<std::uint64_t>(std::abs(offset)) > least);
}

RC_GTEST_PROP(CrossCoreEntriesProperty, TheTrueDriftIsNeverRuledOut, ()) {
  const double ppm = *rc::gen::inRange(-2000, 2000);
  const auto f = found({.cpus = {{0}, {1, 0, ppm}}, .entries = 2000}, *rc::gen::arbitrary<unsigned>());
  RC_ASSERT(f.pairs[0].steadiness != Steadiness::unsteady);
  RC_ASSERT(f.pairs[0].drift.low_ppm <= ppm);  // entries hold whole ticks, and the bounds know it
  RC_ASSERT(f.pairs[0].drift.high_ppm >= ppm);
}

}  // namespace
}  // namespace fathom::clock::cores
