// Which writes the state of a job has in flight, failed and without order, as they are issued and end.
#include "run/checks/state_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "run/checks/one_block.h"

namespace fathom::run::checks {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

io::Request write(std::uint64_t block, std::uint32_t blocks = 1, std::uint16_t target = 0) {
  return {.offset = block * kBlock, .length = blocks * kBlock, .target = target, .dir = io::Dir::write};
}

class StateKeeperTest : public ::testing::Test {
 protected:
  StateKeeperTest() : live_(made(4)), keeper_(live_) {}
  static verify::state::LiveState made(std::uint32_t depth) {
    verify::state::LiveJob job;
    job.name = "j";
    job.depth = depth;
    auto live = verify::state::LiveState::in_memory(job);
    EXPECT_TRUE(live.ok());
    return std::move(*live);
  }
  void issue(const io::Request& request, bool overlaps = false) {
    keeper_.issued(number_++, request, nullptr, overlaps);
  }
  verify::state::OwnRun own() const { return *live_.snapshot().own; }
  verify::state::LiveState live_;
  StateKeeper keeper_;
  std::uint64_t number_ = 0;
};

TEST_F(StateKeeperTest, CompletedWritesAreNotInFlight) {
  for (std::uint64_t b : {5, 9, 2}) issue(write(b));
  keeper_.ended(write(9), true);
  EXPECT_THAT(own().in_flight, UnorderedElementsAre(0, 2));
  EXPECT_EQ(live_.snapshot().writes_issued, 3u);
  issue(write(30));
  issue(write(31));
  EXPECT_THAT(own().in_flight, UnorderedElementsAre(0, 2, 3, 4));
  for (std::uint64_t b : {5, 2, 31, 30}) keeper_.ended(write(b), true);
  EXPECT_THAT(own().in_flight, IsEmpty());
  EXPECT_THAT(own().failed, IsEmpty());
  EXPECT_EQ(own().flags, 0u);
}

TEST_F(StateKeeperTest, WritesAtOneOffsetOfTwoFilesAreToldApart) {
  issue(write(5, 1, 0));
  issue(write(5, 1, 1));
  keeper_.ended(write(5, 1, 1), true);
  EXPECT_THAT(own().in_flight, ElementsAre(0));
}

TEST_F(StateKeeperTest, TheRemainderOfAShortWriteEndsThatWrite) {
  issue(write(4, 4));
  issue(write(20, 4));
  keeper_.ended(write(6, 2), false);
  EXPECT_THAT(own().failed, ElementsAre(0));
  EXPECT_THAT(own().in_flight, ElementsAre(1));
}

TEST_F(StateKeeperTest, AmongOverlappingWritesTheOneWithThatOffsetEnds) {
  issue(write(4, 4));
  issue(write(6, 2));
  issue(write(7, 1));
  keeper_.ended(write(6, 2), true);
  EXPECT_THAT(own().in_flight, UnorderedElementsAre(0, 2));
}

TEST_F(StateKeeperTest, ACompletionOfNoKnownWriteIsIgnored) {
  issue(write(4));
  keeper_.ended(write(5), true);
  keeper_.ended(write(4, 1, 3), false);
  EXPECT_THAT(own().in_flight, ElementsAre(0));
  EXPECT_THAT(own().failed, IsEmpty());
}

// More in flight than the depth: an end was not told. Nothing is demanded by its number from then on.
TEST_F(StateKeeperTest, MoreInFlightThanIodepthMarksTheOrderUnknown) {
  for (std::uint64_t b = 0; b < 5; ++b) issue(write(b));
  EXPECT_TRUE(own().is(verify::state::OwnRun::kOrderUnknown));
  EXPECT_EQ(live_.snapshot().writes_issued, 5u);
}

TEST_F(StateKeeperTest, MoreFailedWritesThanFitMarkTheOrderUnknown) {
  for (std::uint64_t b = 0; b <= live_.list_room(); ++b) {
    EXPECT_FALSE(own().is(verify::state::OwnRun::kOrderUnknown));
    issue(write(b));
    keeper_.ended(write(b), false);
  }
  EXPECT_TRUE(own().is(verify::state::OwnRun::kOrderUnknown));
  EXPECT_EQ(own().failed.size(), live_.list_room());
}

TEST_F(StateKeeperTest, TheFirstRequestsAreRecordedByHash) {
  issue(write(5));
  issue(write(9, 2, 1));
  EXPECT_THAT(own().first, ElementsAre(verify::state::request_hash(0, 5 * kBlock, kBlock),
                                       verify::state::request_hash(1, 9 * kBlock, 2 * kBlock)));
}

// The list of writes without order has room for all that still stand: those that were overwritten make it.
TEST_F(StateKeeperTest, OverwrittenWritesFreeTheirEntries) {
  io::Target target;
  target.length = 64 * kBlock;
  auto versions = Versions::make({&target, 1}, kBlock, "/tmp");
  ASSERT_TRUE(versions.ok());
  const std::uint64_t rounds = live_.list_room() * 4;
  for (std::uint64_t n = 0; n < rounds; ++n) {
    const auto one = write(n % 16);
    EXPECT_FALSE(versions->issued(one, 2 * n));
    keeper_.issued(2 * n, one, &*versions, false);
    EXPECT_TRUE(versions->issued(one, 2 * n + 1));
    keeper_.issued(2 * n + 1, one, &*versions, true);
    for (int i = 0; i < 2; ++i) {
      versions->ended(one, true);
      keeper_.ended(one, true);
    }
  }
  EXPECT_FALSE(own().is(verify::state::OwnRun::kOrderUnknown));
  const auto disordered = own().disordered;
  const std::set<std::uint64_t> all(disordered.begin(), disordered.end());
  for (std::uint64_t n = rounds - 16; n < rounds; ++n) EXPECT_TRUE(all.contains(2 * n + 1));
}

// Held against a list of what is in flight, at random.
TEST(StateKeeper, InFlightWritesMatchAReferenceList) {
  std::mt19937 random(7);
  verify::state::LiveJob job;
  job.depth = 16;
  auto live = verify::state::LiveState::in_memory(job);
  ASSERT_TRUE(live.ok());
  StateKeeper keeper(*live);
  std::vector<std::pair<std::uint64_t, io::Request>> flying;
  for (std::uint64_t number = 0; number < 20'000;) {
    if (flying.size() < 16 && random() % 2 == 0) {
      flying.emplace_back(number,
                          write(random() % 4096 * 4 + random() % 3, 1, static_cast<std::uint16_t>(random() % 3)));
      keeper.issued(number++, flying.back().second, nullptr, false);
    } else if (!flying.empty()) {
      const std::size_t at = random() % flying.size();
      keeper.ended(flying[at].second, true);
      flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (number % 64 != 0) continue;
    const auto snapshot = live->snapshot();
    std::multiset<std::uint64_t> places, expected;
    for (const auto n : snapshot.own->in_flight)
      for (const auto& f : flying)
        if (f.first == n) places.insert(f.second.offset);
    for (const auto& f : flying) expected.insert(f.second.offset);
    // Two in flight to the very same place need not be told apart.
    EXPECT_EQ(snapshot.own->in_flight.size(), flying.size());
    if (places.size() == flying.size()) {
      EXPECT_EQ(places, expected);
    }
  }
}

}  // namespace
}  // namespace fathom::run::checks
