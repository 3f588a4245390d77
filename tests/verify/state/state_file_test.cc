// State files that fio 3.33 and 3.42 wrote say what is known of the runs that made them, and what we write has fio's
// bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "verify/state_support.h"

namespace fathom::verify::state {
namespace {

using namespace testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StateFile, AFio342SequentialStateIsRead) {
  const auto state = parse_state(fixture("fio-3.42-sequential.state"));
  ASSERT_TRUE(state.ok()) << state.error().what;
  EXPECT_EQ(state->version, 7);
  EXPECT_EQ(state->job_name, "s");
  EXPECT_EQ(state->job_index, 0);
  EXPECT_EQ(state->writes_issued, 100);
  EXPECT_FALSE(state->wide_generator);
  EXPECT_EQ(state->generator[0], std::byte{0x5b});
  EXPECT_THAT(state->slots, ElementsAre(kNoWrite));
}

TEST(StateFile, AFio342RandomStateAtDepthEightIsRead) {
  const auto state = parse_state(fixture("fio-3.42-random.state"));
  ASSERT_TRUE(state.ok()) << state.error().what;
  EXPECT_EQ(state->job_name, "q");
  EXPECT_EQ(state->writes_issued, 75);  // 300 KiB in blocks of 4 KiB
  EXPECT_EQ(state->depth, 8);
  EXPECT_EQ(state->slots.size(), 8);
  EXPECT_THAT(state->slots, Each(kNoWrite));
}

TEST(StateFile, Fio333ListsTheLatestOffsetsNewestFirst) {
  const auto state = parse_state(fixture("fio-3.33-sequential.state"));
  ASSERT_TRUE(state.ok()) << state.error().what;
  EXPECT_EQ(state->version, 3);
  EXPECT_EQ(state->job_name, "s");
  EXPECT_EQ(state->writes_issued, 10);
  EXPECT_EQ(state->depth, 4);
  EXPECT_EQ(state->files, 1);
  EXPECT_THAT(state->completed, ElementsAre(CompletedWrite{0, 9 * 4096}, CompletedWrite{0, 8 * 4096},
                                            CompletedWrite{0, 7 * 4096}, CompletedWrite{0, 6 * 4096}));
}

TEST(StateFile, WritesVersion3AsFioDoes) {
  const Bytes of_fio = fixture("fio-3.33-sequential.state");
  const auto written = format_state(*parse_state(of_fio));
  ASSERT_TRUE(written.ok()) << written.error().cause;
  EXPECT_EQ(*written, of_fio);
}

TEST(StateFile, WritesVersion5AsFioDoesBesideTheVersion) {
  for (const char* name : {"fio-3.42-sequential.state", "fio-3.42-random.state"}) {
    Bytes of_fio = fixture(name);
    auto state = *parse_state(of_fio);
    state.version = kStateOfFio342;
    put(of_fio, 0, std::uint64_t{5});
    EXPECT_EQ(*format_state(state), of_fio) << name;
  }
}

// Versions 5, 6 and 7 have one layout.
TEST(StateFile, ReadsVersions5And6) {
  for (const std::uint64_t version : {5, 6}) {
    Bytes file = fixture("fio-3.42-random.state");
    put(file, 0, version);
    const auto state = parse_state(file);
    ASSERT_TRUE(state.ok()) << state.error().what;
    EXPECT_EQ(state->version, version);
    EXPECT_EQ(state->writes_issued, 75);
  }
}

// No fio here writes version 4: its bytes are laid out by hand.
TEST(StateFile, ReadsVersion4WhichKeepsMoreThanTheDepth) {
  Bytes payload(160 + 2 * 3 * 16);
  put(payload, 0, std::uint64_t{4});   // completions in use
  put(payload, 8, std::uint32_t{1});   // depth
  put(payload, 12, std::uint32_t{3});  // kept of each file
  put(payload, 16, std::uint32_t{2});  // files
  put(payload, 24, std::uint64_t{77});
  put(payload, 32, std::uint64_t{5});
  put(payload, 40, std::uint64_t{1});  // 64-bit words
  payload[96] = std::byte{'v'};
  put(payload, 160 + 3 * 16, std::uint64_t{1});
  put(payload, 160 + 3 * 16 + 8, std::uint64_t{8192});
  const auto state = parse_state(with_header(4, payload));
  ASSERT_TRUE(state.ok()) << state.error().what << state.error().cause;
  EXPECT_EQ(state->writes_issued, 77);
  EXPECT_EQ(state->job_index, 5);
  EXPECT_EQ(state->job_name, "v");
  EXPECT_TRUE(state->wide_generator);
  EXPECT_EQ(state->kept_per_file, 3);
  ASSERT_EQ(state->completed.size(), 4);
  EXPECT_EQ(state->completed[3], (CompletedWrite{1, 8192}));
}

TEST(StateFile, IsKnownByItsHead) {
  const auto bytes = format_state(State{});
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(is_state({reinterpret_cast<const char*>(bytes->data()), bytes->size()}));
  for (const char* text : {"", "short", "127.0.0.1 localhost\n127.0.1.1 machine\n"})
    EXPECT_FALSE(is_state(text)) << text;
}

TEST(StateFile, BytesBehindThePayloadAreIgnored) {
  Bytes file = fixture("fio-3.33-sequential.state");
  const auto alone = *parse_state(file);
  file.resize(file.size() + 100);
  EXPECT_EQ(*parse_state(file), alone);
}

TEST(StateFile, MissingSlotsAreWrittenAsEmpty) {
  State state = small_state(10);
  state.slots = {9};
  EXPECT_THAT(parse_state(*format_state(state))->slots, ElementsAre(9, kNoWrite, kNoWrite, kNoWrite));
}

TEST(StateFile, LongJobNamesAreTruncatedAsInFio) {
  State state = small_state(10);
  state.job_name = std::string(100, 'n');
  const auto read = *parse_state(*format_state(state));
  EXPECT_EQ(read.job_name, std::string(63, 'n'));
  EXPECT_EQ(of_another_job(read, state.job_name, 0), "");
}

TEST(StateFile, AStateOfAnotherJobIsReported) {
  const State state = small_state(10);
  EXPECT_EQ(of_another_job(state, "job", 0), "");
  EXPECT_EQ(of_another_job(state, "job", 1),
            "the verify state belongs to job job (index 0), this is job job (index 1)");
  EXPECT_THAT(of_another_job(state, "a\nb", 0), HasSubstr("this is job a\\nb (index 0)"));
}

TEST(StateFile, EntriesBeyondItsRoomAreNotWritten) {
  State state = small_state(10);
  state.slots.resize(5);
  EXPECT_EQ(format_state(state).error().cause, "5 entries, with room for 4");
  state = small_state(10);
  state.version = 4;
  EXPECT_EQ(format_state(state).error().cause, "version 4 cannot be written, only 3 and 5");
  state.version = 3;
  EXPECT_EQ(format_state(state).error().cause, "version 3 has no room for slots");
  state.slots.clear();
  state.depth = state.files = 0xffff'ffff;
  EXPECT_THAT(format_state(state).error().cause, HasSubstr("more than any reader accepts"));
  state.depth = 2, state.files = 1, state.kept_per_file = 3;
  EXPECT_THAT(format_state(state).error().cause, HasSubstr("as many entries of a file as the depth"));
}

RC_GTEST_PROP(StateFile, Version5ComesBackAsItWas, ()) {
  State state;
  state.job_name = *rc::gen::container<std::string>(rc::gen::inRange('!', '~'));
  state.job_name.resize(std::min<std::size_t>(state.job_name.size(), 63));
  state.job_index = *rc::gen::arbitrary<std::uint64_t>();
  state.writes_issued = *rc::gen::arbitrary<std::uint64_t>();
  state.slots = *rc::gen::arbitrary<std::vector<std::uint64_t>>();
  state.depth = static_cast<std::uint32_t>(state.slots.size());
  state.wide_generator = *rc::gen::arbitrary<bool>();
  state.generator[47] = std::byte{*rc::gen::arbitrary<std::uint8_t>()};
  RC_ASSERT(*parse_state(*format_state(state)) == state);
}

RC_GTEST_PROP(StateFile, Version3ComesBackAsItWas, ()) {
  State state;
  state.version = kStateOfFio333;
  state.depth = *rc::gen::inRange<std::uint32_t>(0, 20);
  state.files = *rc::gen::inRange<std::uint32_t>(0, 5);
  state.writes_issued = *rc::gen::arbitrary<std::uint64_t>();
  const auto used = *rc::gen::inRange<std::uint32_t>(0, state.depth * state.files + 1);
  for (std::uint32_t i = 0; i < used; ++i)
    state.completed.push_back({*rc::gen::inRange<std::uint64_t>(0, 5), *rc::gen::arbitrary<std::uint64_t>()});
  RC_ASSERT(*parse_state(*format_state(state)) == state);
}

}  // namespace
}  // namespace fathom::verify::state
