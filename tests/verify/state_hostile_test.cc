// State files that were torn, flipped or made on purpose: an error in fio's words, never a state, and no memory by
// their own word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify/state_support.h"

namespace fathom::verify {
namespace {

using namespace testing;
using ::testing::HasSubstr;

constexpr const char* kAll[] = {"fio-3.33-sequential.state", "fio-3.42-sequential.state", "fio-3.42-random.state"};

TEST(HostileStateFile, ATruncatedFileOfAnyLengthIsAnError) {
  for (const char* name : kAll) {
    const Bytes whole = fixture(name);
    ASSERT_TRUE(state::parse_state(whole).ok());
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto state = state::parse_state(std::span(whole).first(length));
      ASSERT_FALSE(state.ok()) << name << " " << length;
      EXPECT_EQ(state.error().what, length < 24 ? "failed reading verify state header" : "failed reading verity state");
      EXPECT_EQ(state.error().kind, base::ErrorKind::io);
    }
  }
}

// But for the two bits of the version that turn 7 into 5 or 6, which have the same layout.
TEST(HostileStateFile, EveryFlippedBitIsSeen) {
  for (const char* name : kAll) {
    const Bytes whole = fixture(name);
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      Bytes flipped = whole;
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
      const bool same_layout = bit < 8 && (flipped[0] == std::byte{5} || flipped[0] == std::byte{6});
      EXPECT_EQ(state::parse_state(flipped).ok(), same_layout) << name << " bit " << bit;
    }
  }
}

TEST(HostileStateFile, OtherVersionsAreNamed) {
  Bytes file = fixture("fio-3.42-random.state");
  for (const std::uint64_t version : {0, 1, 2, 8, 99}) {
    put(file, 0, version);
    EXPECT_EQ(state::parse_state(file).error().what,
              "unsupported (" + std::to_string(version) + ") version in verify state header");
  }
  put(file, 0, std::uint64_t{4});  // another layout
  EXPECT_EQ(state::parse_state(file).error().what, "verify state is corrupt");
}

TEST(HostileStateFile, AWrongChecksumIsAnErrorThatShowsIt) {
  Bytes file = fixture("fio-3.42-random.state");
  put(file, 16, std::uint64_t{1});
  EXPECT_EQ(state::parse_state(file).error().what, "verify state is corrupt");
  EXPECT_EQ(state::parse_state(file).error().cause, "the checksum is 0x74c7a1ad, the header states 0x1");
  put(file, 16, std::uint64_t{0x1'74c7'a1ad});  // right but for a bit of the upper half
  EXPECT_FALSE(state::parse_state(file).ok());
}

TEST(HostileStateFile, APayloadLengthBeyondTheFileIsAnError) {
  Bytes file = fixture("fio-3.42-random.state");
  for (const std::uint64_t bytes : {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{209}}) {
    put(file, 8, bytes);
    EXPECT_EQ(state::parse_state(file).error().what, "failed reading verity state");
  }
}

struct Planted {
  const char* what;
  std::uint64_t version;
  std::size_t at;
  std::uint32_t value;
  const char* cause;
};

// With a right checksum, so that nothing but the lists' own sizes can tell.
class HostileStateField : public ::testing::TestWithParam<Planted> {};

TEST_P(HostileStateField, OutOfRangeIsReportedAsCorrupt) {
  const Planted& planted = GetParam();
  const Bytes whole = fixture(planted.version == 3 ? "fio-3.33-sequential.state" : "fio-3.42-random.state");
  Bytes payload(whole.begin() + state::StateHeader::kBytes, whole.end());
  put(payload, planted.at, planted.value);
  const auto state = state::parse_state(with_header(planted.version, payload));
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().what, "verify state is corrupt");
  EXPECT_THAT(state.error().cause, HasSubstr(planted.cause));
}

INSTANTIATE_TEST_SUITE_P(Fields, HostileStateField,
                         ::testing::Values(Planted{"depth", 5, 0, 0xffff'ffff, "4294967295 entries do not fit"},
                                           Planted{"depth one more", 5, 0, 9, "9 entries do not fit in 208 bytes"},
                                           Planted{"depth one less", 5, 0, 7, "7 entries do not fit in 208 bytes"},
                                           Planted{"depth", 3, 8, 0xffff'ffff, "4294967295 entries do not fit"},
                                           Planted{"no depth", 3, 8, 0, "0 entries do not fit"},
                                           Planted{"files", 3, 12, 0xffff'ffff, "17179869180 entries do not fit"},
                                           Planted{"completions", 3, 0, 5, "5 completions in 4 entries"},
                                           Planted{"completions", 3, 4, 1, "completions in 4 entries"}));

TEST(HostileStateFile, DepthTimesFilesDoesNotWrap) {
  const Bytes whole = fixture("fio-3.33-sequential.state");
  Bytes payload(whole.begin() + state::StateHeader::kBytes, whole.end());
  put(payload, 8, std::uint32_t{0x8000'0000});
  put(payload, 12, std::uint32_t{2});
  payload.resize(152);  // as if it were 0 entries of 32 bits
  put(payload, 0, std::uint64_t{0});
  EXPECT_FALSE(state::parse_state(with_header(3, payload)).ok());
}

TEST(HostileStateFile, PayloadsWithoutAJobAreCorrupt) {
  for (const std::uint64_t version : {3, 4, 5, 6, 7})
    for (const std::size_t bytes : {0, 1, 143, 151})
      if (bytes < state::layout_of(version)->entries_at) {
        EXPECT_EQ(state::parse_state(with_header(version, Bytes(bytes))).error().what, "verify state is corrupt");
      }
}

TEST(HostileStateFile, AStateWithoutEntriesIsValid) {
  EXPECT_TRUE(state::parse_state(with_header(3, Bytes(152)))->completed.empty());
  EXPECT_TRUE(state::parse_state(with_header(5, Bytes(144)))->slots.empty());
}

TEST(HostileStateFile, ANameWithoutAnEndHas64Bytes) {
  Bytes payload(144);
  for (std::size_t i = 80; i < 144; ++i) payload[i] = std::byte{'x'};
  EXPECT_EQ(state::parse_state(with_header(5, payload))->job_name, std::string(64, 'x'));
}

}  // namespace
}  // namespace fathom::verify
