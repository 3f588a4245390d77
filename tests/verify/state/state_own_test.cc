// What fathom adds to a state, and what becomes of it when it is torn or made on purpose.
#include "verify/state/state_own.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/state/state_name.h"
#include "verify/state/state_standing.h"
#include "verify/state_support.h"

namespace fathom::verify::state {
namespace {

using namespace testing;

State own_state(std::uint64_t version) {
  State state;
  state.version = version;
  state.job_name = "job";
  state.depth = 4;
  state.writes_issued = 40;
  if (version == kStateOfFio342)
    state.slots = {kNoWrite, 39, kNoWrite, 36};
  else
    state.completed = {{0, 38 * 4096}, {0, 37 * 4096}};
  state.own = OwnRun{.generation = 77,
                     .flags = OwnRun::kOnce,
                     .depth = 4,
                     .in_flight = {39, 36},
                     .failed = {11},
                     .disordered = {20, 21},
                     .first = {1, 2, 3}};
  return state;
}

TEST(OwnRun, SurvivesWritingAndReading) {
  for (const auto version : {kStateOfFio333, kStateOfFio342}) {
    const auto bytes = format_state(own_state(version));
    ASSERT_TRUE(bytes.ok());
    const auto back = parse_state(*bytes);
    ASSERT_TRUE(back.ok()) << back.error().what << back.error().cause;
    ASSERT_TRUE(back->own.has_value());
    EXPECT_EQ(*back->own, *own_state(version).own);
  }
}

// fio reads what it knows, and what stands there is as if nothing stood behind it.
TEST(OwnRun, FiosPartIsTheSame) {
  for (const auto version : {kStateOfFio333, kStateOfFio342}) {
    State without = own_state(version);
    without.own.reset();
    const auto with = *format_state(own_state(version)), plain = *format_state(without);
    ASSERT_GT(with.size(), plain.size());
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), with.begin()));
    const auto back = parse_state(plain);
    ASSERT_TRUE(back.ok());
    EXPECT_FALSE(back->own.has_value());
  }
}

TEST(OwnRun, AnswersByNumberWhateverTheVersion) {
  for (const auto version : {kStateOfFio333, kStateOfFio342}) {
    const Standings standings(own_state(version), 4);
    EXPECT_EQ(standings.of({39, 0, 0}), Standing::in_flight);
    EXPECT_EQ(standings.of({38, 0, 1}), Standing::acknowledged);
    EXPECT_EQ(standings.of({11, 0, 0}), Standing::failed);
    EXPECT_EQ(standings.of({40, 0, 0}), Standing::not_issued);
    EXPECT_EQ(standings.of({2, 0, 0}), Standing::acknowledged);
  }
}

TEST(OwnRun, ADamagedPartIsAnErrorAndNeverAnotherState) {
  const auto bytes = *format_state(own_state(kStateOfFio342));
  const std::size_t begin = StateHeader::kBytes + 144 + 4 * 8;
  for (std::size_t at = begin; at < bytes.size(); ++at) {
    Bytes flipped = bytes;
    flipped[at] ^= std::byte{4};
    const auto state = parse_state(flipped);
    // Without our mark it is anybody's rest, which fio leaves alone as well.
    EXPECT_TRUE(at < begin + 8 ? state.ok() && !state->own : !state.ok()) << at;
  }
  for (std::size_t size = begin + 8; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_state(std::span(bytes).first(size)).ok()) << size;
}

TEST(OwnRun, DoesNotFitAnotherPayload) {
  State other = own_state(kStateOfFio342);
  other.writes_issued = 41;
  const auto bytes = *format_state(own_state(kStateOfFio342)), others = *format_state(other);
  const std::size_t begin = StateHeader::kBytes + 144 + 4 * 8;
  Bytes mixed(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  mixed.insert(mixed.end(), others.begin() + static_cast<std::ptrdiff_t>(begin), others.end());
  EXPECT_FALSE(parse_state(mixed).ok());
}

TEST(OwnRun, CountsBeyondTheBytesAreAnError) {
  OwnRun own;
  own.in_flight = {1, 2, 3};
  auto bytes = format_own(own, 5);
  for (std::size_t count_at : {6, 7, 8, 9})
    for (std::uint64_t count : {std::uint64_t{4}, ~std::uint64_t{0}, std::uint64_t{1} << 61}) {
      Bytes hostile = bytes;
      put(hostile, count_at * 8, count);
      put(hostile, hostile.size() - 8, std::uint64_t{slow_checksum(std::span(hostile).first(hostile.size() - 8))});
      EXPECT_FALSE(parse_own(hostile, 5).ok()) << count_at;
    }
  EXPECT_TRUE(parse_own(bytes, 5).ok());
}

TEST(OwnRun, RequestHashesDifferByTargetOffsetAndLength) {
  EXPECT_NE(request_hash(0, 4096, 512), request_hash(0, 512, 4096));
  EXPECT_NE(request_hash(1, 0, 512), request_hash(0, 0, 512));
  EXPECT_NE(request_hash(0, 0, 0), 0u);
}

}  // namespace
}  // namespace fathom::verify::state
