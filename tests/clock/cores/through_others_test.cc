// CPUs that never followed each other are bounded through those between them, and never by less than could hide.
#include "clock/cores/through_others.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "clock/cores/cross_core.h"
#include "clock/made_entries.h"

namespace fathom::clock::cores {
namespace {

using testing::HasSubstr;

const std::vector<std::size_t> kThereAndBack{0, 1, 2, 3, 2, 1};

const Pair& pair_of(const Findings& f, unsigned a, unsigned b) {
  for (const auto& p : f.pairs)
    if (p.a == a && p.b == b) return p;
  ADD_FAILURE() << "no pair " << a << ", " << b;
  return f.pairs[0];
}

// Two groups; the sequence leaves the first only once.
Findings two_groups() {
  std::vector<std::vector<Entry>> streams(4);
  for (std::uint32_t s = 0; s < 400; ++s) {
    const unsigned cpu = (s < 200 ? 0 : 2) + s % 2;
    streams[cpu].push_back({s, cpu, 1000 + 40 * s});
  }
  return analyse(streams);
}

TEST(OffsetThroughOtherCpus, BoundAddsUpAlongThePath) {
  const MadeCpu cpus[] = {{0}, {1, 30}, {2, 60}, {3, 90}};  // each step hides in its gap
  const auto f = analyse(along(cpus, kThereAndBack, 100, 40));
  EXPECT_EQ(f.mismatches, 0u);
  EXPECT_EQ(f.pairs_met, 3u);
  EXPECT_EQ(pair_of(f, 0, 1).detectable(), 71u);
  EXPECT_EQ(pair_of(f, 0, 2).detectable(), 141u);
  EXPECT_EQ(pair_of(f, 0, 3).detectable(), 211u);
  EXPECT_EQ(pair_of(f, 0, 3).steadiness, Steadiness::unknown);
  EXPECT_GT(f.detectable, 90u) << "CPU 3 is 90 ahead of CPU 0 and nothing showed";
  EXPECT_EQ(f.detectable, 211u);
  EXPECT_EQ(outcome_of({f}), Outcome::passed);
  EXPECT_THAT(text_of({f}), HasSubstr("an offset of 211 ticks or more"));
  EXPECT_THAT(text_of({f}), HasSubstr("(3 of 6 pairs never followed each other and were compared through other CPUs)"));
  EXPECT_EQ(summarize({f}, {}).detectable_ticks, 211u);
}

TEST(OffsetThroughOtherCpus, UsesTheShortestOfSeveralPaths) {
  // 0-1-2 and 0-3-2, the second with longer gaps.
  std::vector<std::vector<Entry>> streams(4);
  std::uint64_t time = 1000;
  std::uint32_t sequence = 0;
  for (int round = 0; round < 50; ++round) {
    for (const unsigned cpu : {0u, 1u, 2u, 1u}) streams[cpu].push_back({sequence++, cpu, time += 40});
    for (const unsigned cpu : {0u, 3u, 2u, 3u}) streams[cpu].push_back({sequence++, cpu, time += cpu == 0 ? 40 : 500});
  }
  const auto f = analyse(streams);
  EXPECT_EQ(pair_of(f, 0, 2).steadiness, Steadiness::unknown);
  EXPECT_EQ(pair_of(f, 0, 2).detectable(), 81u);
}

TEST(OffsetThroughOtherCpus, WithoutAPathThereIsNoBound) {
  const auto f = two_groups();
  EXPECT_EQ(f.mismatches, 0u);
  EXPECT_EQ(f.pairs_met, 2u);
  EXPECT_GE(f.fewest_hand_overs, kFewestHandOvers);
  EXPECT_FALSE(pair_of(f, 0, 2).detectable().has_value());
  EXPECT_EQ(f.detectable, 0u);
  EXPECT_EQ(outcome_of({f}), Outcome::not_tested) << "CPUs 0 and 1 were never compared with 2 and 3";
  EXPECT_EQ(summarize({f}, {}).detectable_ticks, 0u);
}

TEST(OffsetThroughOtherCpus, ADriftingPairIsNotUsedAsAPath) {
  const MadeCpu cpus[] = {{0}, {1}, {2}};
  const std::size_t path[] = {0, 1, 2, 1};
  auto streams = along(cpus, path, 1000, 40);
  for (std::size_t i = 0; i < streams[2].size(); ++i) streams[2][i].tsc += i;
  const auto f = analyse(streams);
  EXPECT_EQ(pair_of(f, 1, 2).steadiness, Steadiness::drifts);
  EXPECT_EQ(pair_of(f, 0, 1).detectable(), 41u);
  EXPECT_FALSE(pair_of(f, 0, 2).detectable().has_value());
  EXPECT_EQ(f.detectable, 0u);
}

TEST(OffsetThroughOtherCpus, AMismatchDoesNotShortenAPath) {
  const MadeCpu cpus[] = {{0}, {1, 1000}, {2}};
  const std::size_t path[] = {0, 1, 2, 1};
  const auto f = analyse(along(cpus, path, 100, 40));
  EXPECT_GT(f.mismatches, 0u);
  EXPECT_EQ(pair_of(f, 0, 2).detectable(), 1041u);  // 1040 there and 0, not -960, back
}

RC_GTEST_PROP(OffsetThroughOtherCpusProperty, BoundIsNeverBelowAHiddenOffset, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(2, 9);
  const auto gap = *rc::gen::inRange<std::int64_t>(1, 100);
  std::vector<MadeCpu> cpus{{0}};
  for (unsigned i = 1; i < n; ++i) cpus.push_back({i, cpus.back().offset + *rc::gen::inRange(-gap, gap + 1)});
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < n; ++i) path.push_back(i);
  for (std::size_t i = n - 1; i-- > 1;) path.push_back(i);
  const auto f = analyse(along(cpus, path, 40, static_cast<std::uint64_t>(gap)));
  RC_ASSERT(f.mismatches == 0u);
  for (const auto& p : f.pairs) {
    RC_ASSERT(p.detectable().has_value());
    RC_ASSERT(static_cast<std::int64_t>(*p.detectable()) > std::abs(cpus[p.b].offset - cpus[p.a].offset));
    RC_ASSERT(f.detectable >= *p.detectable());
  }
}

}  // namespace
}  // namespace fathom::clock::cores
