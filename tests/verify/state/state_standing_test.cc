// What a state says of each write of jobs whose course is known.
#include "verify/state/state_standing.h"

#include <gtest/gtest.h>

#include <set>

namespace fathom::verify::state {
namespace {

constexpr std::uint64_t kBlock = 4096;

Standing by_number(const Standings& standings, std::uint64_t number) { return standings.of({number, 0, 0}); }

State with_slots(std::uint64_t version, std::uint64_t issued, std::vector<std::uint64_t> slots) {
  State state;
  state.version = version;
  state.writes_issued = issued;
  state.depth = static_cast<std::uint32_t>(slots.size());
  state.slots = std::move(slots);
  return state;
}

State with_offsets(std::uint64_t issued, std::uint32_t depth, std::uint32_t files, std::vector<CompletedWrite> writes) {
  State state;
  state.version = 3;
  state.writes_issued = issued;
  state.depth = depth;
  state.files = files;
  state.completed = std::move(writes);
  return state;
}

TEST(Standings, Version5AnswersForEveryWrite) {
  const Standings standings(with_slots(5, 100, {99, kNoWrite, 3, 97}), 4);
  const std::set<std::uint64_t> in_flight = {3, 97, 99};
  for (std::uint64_t n = 0; n < 100; ++n)
    EXPECT_EQ(by_number(standings, n), in_flight.count(n) != 0 ? Standing::in_flight : Standing::acknowledged) << n;
  EXPECT_EQ(by_number(standings, 100), Standing::not_issued);
  EXPECT_EQ(by_number(standings, kNoWrite), Standing::not_issued);
}

TEST(Standings, ANumberInASlotButNotBelowTheCountWasNotIssued) {
  EXPECT_EQ(by_number(Standings(with_slots(5, 10, {12}), 1), 12), Standing::not_issued);
}

TEST(Standings, Version7HasFailedWritesBehindTheDepth) {
  const State state = with_slots(7, 100, {99, kNoWrite, 40, 41});
  const Standings standings(state, 2);
  EXPECT_EQ(by_number(standings, 99), Standing::in_flight);
  EXPECT_EQ(by_number(standings, 40), Standing::failed);
  EXPECT_EQ(by_number(standings, 41), Standing::failed);
  EXPECT_EQ(by_number(standings, 42), Standing::acknowledged);
  EXPECT_EQ(by_number(Standings(state, 4), 40), Standing::in_flight);
  EXPECT_EQ(by_number(Standings(with_slots(5, 100, {99, kNoWrite, 40, 41}), 2), 40), Standing::in_flight);
}

TEST(Standings, StopsWithFiosWords) {
  const Standings standings(with_slots(7, 100, {7, 8}), 1);
  EXPECT_EQ(standings.stop_text({7, 0, 0}), "Stop verify because seq 7 was an inflight write");
  EXPECT_EQ(standings.stop_text({100, 0, 0}), "Stop verify because seq 100 >= 100");
  EXPECT_EQ(standings.stop_text({6, 0, 0}), "");
  EXPECT_EQ(standings.stop_text({8, 0, 0}), "");  // failed: passed over
  EXPECT_EQ(Standings(with_offsets(2, 1, 1, {}), 1).stop_text({5, 0, 0}), "");
}

// Sequential, depth 4, ten writes of which number 8 did not come back.
TEST(Standings, Version3AnswersForTheLastWritesOfTheDepth) {
  const Standings standings(
      with_offsets(10, 4, 1, {{0, 9 * kBlock}, {0, 7 * kBlock}, {0, 6 * kBlock}, {0, 5 * kBlock}}), 4);
  const auto of = [&](std::uint64_t n) { return standings.of({n, 0, n * kBlock}); };
  EXPECT_EQ(of(10), Standing::not_issued);
  EXPECT_EQ(of(9), Standing::acknowledged);
  EXPECT_EQ(of(8), Standing::in_flight);
  EXPECT_EQ(of(7), Standing::acknowledged);
  EXPECT_EQ(of(6), Standing::acknowledged);
  EXPECT_EQ(of(5), Standing::unknown);
  EXPECT_EQ(of(0), Standing::unknown);
}

TEST(Standings, Version3AtDepthOneKnowsTheOlderOnesToo) {
  const Standings standings(with_offsets(10, 1, 1, {{0, 9 * kBlock}}), 1);
  EXPECT_EQ(standings.of({9, 0, 9 * kBlock}), Standing::acknowledged);
  EXPECT_EQ(standings.of({0, 0, 0}), Standing::acknowledged);
}

TEST(Standings, Version3TellsFilesApart) {
  const Standings standings(with_offsets(2, 4, 2, {{0, kBlock}, {1, kBlock * 2}}), 4);
  EXPECT_EQ(standings.of({0, 0, kBlock}), Standing::acknowledged);
  EXPECT_EQ(standings.of({1, 1, kBlock}), Standing::in_flight);
}

// File 1 completed one write, and its list was filled up to three.
TEST(Standings, PaddingOfVersion3ListsIsNoWrite) {
  const State state =
      with_offsets(4, 4, 2, {{0, 2 * kBlock}, {0, kBlock}, {0, 5 * kBlock}, {1, kBlock}, {1, 0}, {1, 0}});
  EXPECT_EQ(Standings(state, 4).of({0, 1, 0}), Standing::unknown);
  EXPECT_EQ(Standings(state, 4).of({0, 0, 0}), Standing::in_flight);
  EXPECT_EQ(Standings(state, 4).of({0, 1, kBlock}), Standing::acknowledged);
}

TEST(Standings, OffsetZeroInVersion3IsAWriteIfOthersFollowOrThereIsOneFile) {
  EXPECT_EQ(Standings(with_offsets(2, 4, 2, {{0, 0}, {0, kBlock}}), 4).of({1, 0, 0}), Standing::acknowledged);
  EXPECT_EQ(Standings(with_offsets(3, 4, 2, {{0, 0}, {0, kBlock}, {0, 0}}), 4).of({1, 0, 0}), Standing::acknowledged);
  EXPECT_EQ(Standings(with_offsets(2, 4, 1, {{0, kBlock}, {0, 0}}), 4).of({0, 0, 0}), Standing::acknowledged);
}

TEST(Standings, OnlyAcknowledgedAndUnknownWritesAreReadBack) {
  EXPECT_TRUE(is_read_back(Standing::acknowledged));
  EXPECT_TRUE(is_read_back(Standing::unknown));
  for (const Standing standing : {Standing::in_flight, Standing::not_issued, Standing::failed})
    EXPECT_FALSE(is_read_back(standing)) << name(standing);
}

}  // namespace
}  // namespace fathom::verify::state
