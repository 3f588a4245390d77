// Crossed with Debian's fio 3.33 as it runs: we read the states that it writes when a job ends and by a trigger, and it
// goes by the states that we write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <regex>

#include "verify/state/state_name.h"
#include "verify/state/state_standing.h"
#include "verify/state_support.h"

namespace fathom::verify {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t kBlock = 4096;
constexpr int kWritten = 10, kBlocks = 16;

struct Said {
  int status = -1;
  std::string text;
};

// In the folder.
Said fio(const Folder& folder, const std::string& words) {
  const std::string command = "cd " + folder.path() + " && exec fio --filename=x --bs=4k " + words + " 2>&1";
  Said said;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> some{};
  while (const std::size_t n = std::fread(some.data(), 1, some.size(), pipe)) said.text.append(some.data(), n);
  const int status = ::pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

class StateFio : public ::testing::Test {
 protected:
  void SetUp() override {
    if (fio(folder_, "--version").text != "fio-3.33\n") GTEST_SKIP() << "fio is not 3.33";
  }
  // kWritten of kBlocks blocks, in order; the others are zeros.
  void write_some(const std::string& job) {
    const Said said =
        fio(folder_, "--name=" + job + kJob + " --rw=write --do_verify=0 --number_ios=10 --fallocate=none");
    ASSERT_EQ(said.status, 0) << said.text;
    ASSERT_EQ(::truncate((folder_ / "x").c_str(), kBlocks * kBlock), 0);
  }
  Said read_back(const std::string& job) {
    return fio(folder_, "--name=" + job + kJob + " --rw=read --verify_state_load=1");
  }
  // How many blocks fio has looked at.
  static int blocks_read(const Said& said) {
    std::smatch found;
    return std::regex_search(said.text, found, std::regex("issued rwts: total=(\\d+),")) ? std::stoi(found[1]) : -1;
  }

  static constexpr const char* kJob = " --size=64k --ioengine=psync --iodepth=4 --verify=crc32c";
  Folder folder_;
};

state::State of_ten_writes(std::vector<state::CompletedWrite> completed) {
  state::State state;
  state.version = state::kStateOfFio333;
  state.job_name = "s";
  state.depth = 4;
  state.writes_issued = kWritten;
  state.completed = std::move(completed);
  return state;
}

TEST_F(StateFio, TimedFioWritesAStateWeReadWhenAJobEnds) {
  write_some("a/s");
  const auto state = state::load_state(state::state_file_name("a/s", 0, folder_.path()));
  ASSERT_TRUE(state.ok()) << state.error().what << "; " << state.error().cause;
  EXPECT_EQ(state->version, 3);
  EXPECT_EQ(state::of_another_job(*state, "a/s", 0), "");
  EXPECT_EQ(state->writes_issued, kWritten);
  EXPECT_EQ(state->depth, 4);
  EXPECT_THAT(state->completed,
              ElementsAre(state::CompletedWrite{0, 9 * kBlock}, state::CompletedWrite{0, 8 * kBlock},
                          state::CompletedWrite{0, 7 * kBlock}, state::CompletedWrite{0, 6 * kBlock}));
  EXPECT_EQ(*format_state(*state), bytes_of(state::state_file_name("a/s", 0, folder_.path())));
}

TEST_F(StateFio, TimedFioWritesAStateWeReadOnATrigger) {
  // A fio that was given no CPU has written nothing by the trigger.
  const auto written = [&] {
    const Said said =
        fio(folder_,
            "--name=t --size=4m --rw=randwrite --ioengine=libaio --iodepth=4 --rate_iops=5000 --runtime=5 "
            "--time_based --verify=crc32c --do_verify=0 --trigger-timeout=1");
    auto state = state::load_state(state::state_file_name("t", 0, folder_.path()));
    EXPECT_TRUE(state.ok()) << said.text;
    return state;
  };
  auto state = written();
  for (int again = 0; again < 3 && state && state->completed.empty(); ++again) state = written();
  ASSERT_TRUE(state.ok()) << state.error().what << "; " << state.error().cause;
  EXPECT_GT(state->writes_issued, 100);
  EXPECT_EQ(state->completed.size(), 4);
  const Bytes data = bytes_of(folder_ / "x");
  for (const state::CompletedWrite& write : state->completed) {
    ASSERT_LE(write.offset + kBlock, data.size());
    EXPECT_EQ(data[write.offset], std::byte{0xca});
    EXPECT_EQ(data[write.offset + 1], std::byte{0xac});
  }
}

TEST_F(StateFio, TimedFioStopsWhereOurStateEnds) {
  write_some("s");
  const std::string path = state::state_file_name("s", 0, folder_.path());
  ASSERT_EQ(::unlink(path.c_str()), 0);
  ASSERT_TRUE(
      state::save_state(path, of_ten_writes({{0, 9 * kBlock}, {0, 8 * kBlock}, {0, 7 * kBlock}, {0, 6 * kBlock}}))
          .ok());
  const Said said = read_back("s");
  EXPECT_EQ(said.status, 0) << said.text;
  EXPECT_EQ(blocks_read(said), kWritten) << said.text;
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_NE(fio(folder_, std::string("--name=s") + kJob + " --rw=read").status, 0);  // without it the zeros are seen
}

// The state says that block 8 did not come back: fio and we stop there alike.
TEST_F(StateFio, TimedFioStopsAtAWriteThatOurStateSaysIsInFlight) {
  write_some("s");
  const state::State state = of_ten_writes({{0, 9 * kBlock}, {0, 7 * kBlock}, {0, 6 * kBlock}, {0, 5 * kBlock}});
  ASSERT_TRUE(state::save_state(state::state_file_name("s", 0, folder_.path()), state).ok());
  const Said said = read_back("s");
  EXPECT_EQ(said.status, 0) << said.text;
  const state::Standings standings(state, 4);
  std::uint64_t first = 0;
  while (state::is_read_back(standings.of({first, 0, first * kBlock}))) ++first;
  EXPECT_EQ(first, 8);
  EXPECT_EQ(blocks_read(said), first) << said.text;
}

TEST_F(StateFio, TimedFioReportsABadStateInTheSameWords) {
  write_some("s");
  const std::string path = state::state_file_name("s", 0, folder_.path());
  Bytes bytes = bytes_of(path);
  bytes[100] ^= std::byte{1};
  write_bytes(path, bytes);
  const Said corrupt = read_back("s");
  EXPECT_NE(corrupt.status, 0);
  EXPECT_THAT(corrupt.text, HasSubstr("fio: " + state::load_state(path).error().what + "\n"));
  put(bytes, 0, std::uint64_t{99});
  write_bytes(path, bytes);
  EXPECT_THAT(read_back("s").text, HasSubstr("fio: " + state::load_state(path).error().what + "\n"));
}

}  // namespace
}  // namespace fathom::verify
