// A sweep goes on where it was stopped, at whatever byte, and refuses what is not its own.
#include "sweep/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fathom::sweep {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kWords = {"over iodepth=1..8", "job [a]", "job rw=randread"};

class StateTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fathom-sweep-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name, path_ = folder_ + "/state";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string text() const {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string refusal(const std::vector<std::string>& words = kWords) const {
    const auto state = StateFile::open(path_, 1, words);
    EXPECT_FALSE(state);
    return state ? "" : state.error().what + ": " + state.error().cause;
  }
  std::string folder_, path_;
};

const StateRun kFirst{"grid", "iodepth=8", "iodepth=8/0001.json", ""}, kSecond{"grid", "iodepth=1", "", "it failed"};

TEST_F(StateTest, HasWhatWasWritten) {
  {
    auto state = StateFile::open(path_, 42, kWords);
    ASSERT_TRUE(state);
    EXPECT_TRUE(state->runs().empty());
    ASSERT_TRUE(state->add(kFirst));
    ASSERT_TRUE(state->add(kSecond));
  }
  auto again = StateFile::open(path_, 7, kWords);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->seed(), 42u);
  EXPECT_EQ(again->runs(), (std::vector<StateRun>{kFirst, kSecond}));
  ASSERT_TRUE(again->add(kFirst));
  EXPECT_THAT(text(), HasSubstr("run\t3\tgrid\tiodepth=8\t"));
}

// Cut at every byte of its last line: that run is lost and no other, and the file goes on.
TEST_F(StateTest, ALineThatWasNotWrittenToItsEndIsCutOff) {
  {
    auto state = StateFile::open(path_, 42, kWords);
    ASSERT_TRUE(state && state->add(kFirst) && state->add(kSecond));
  }
  const std::string whole = text();
  const auto last = whole.rfind("run\t2");
  for (std::size_t bytes = last; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    auto state = StateFile::open(path_, 1, kWords);
    ASSERT_TRUE(state) << bytes;
    EXPECT_EQ(state->runs(), std::vector<StateRun>{kFirst}) << bytes;
    ASSERT_TRUE(state->add(kSecond));
    EXPECT_EQ(text(), whole) << bytes;
  }
}

// The disk was full, or the power went, while the head was written: nothing was measured, and the sweep begins.
TEST_F(StateTest, AHeadThatWasNotWrittenToItsEndIsWrittenAgain) {
  ASSERT_TRUE(StateFile::open(path_, 42, kWords));
  const std::string whole = text();
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    const auto state = StateFile::open(path_, 42, kWords);
    ASSERT_TRUE(state) << bytes << ": " << whole.substr(0, bytes);
    EXPECT_EQ(text(), whole) << bytes;
  }
}

TEST_F(StateTest, AnotherSweepsIsRefusedWithWhatDiffers) {
  {
    auto state = StateFile::open(path_, 42, kWords);
    ASSERT_TRUE(state && state->add(kFirst));
  }
  EXPECT_THAT(
      refusal({"over iodepth=1..16", "job [a]", "job rw=randread"}),
      HasSubstr(
          "belongs to a different sweep: the state file has `over iodepth=1..8`, this sweep has `over iodepth=1..16`"));
  EXPECT_THAT(refusal({"over iodepth=1..8", "job [a]"}), HasSubstr("`job rw=randread`, this sweep does not"));
  EXPECT_THAT(refusal({"over iodepth=1..8", "job [a]", "job rw=randread", "job bs=4k"}), HasSubstr("has `nothing`"));
}

TEST_F(StateTest, WhatIsNoStateFileIsRefusedAndLeftAsItIs) {
  for (const char* other : {"{ \"format\" : \"fathom\" }\n", "x", "\n", "fathom sweep state 10\nseed 1\n"}) {
    write(other);
    EXPECT_THAT(refusal(), HasSubstr("not a state file"));
    EXPECT_EQ(text(), other);
  }
  write("fathom sweep state 2\nseed 1\n");
  EXPECT_THAT(refusal(), HasSubstr("newer fathom"));
  write("fathom sweep state 1\nseed x\n");
  EXPECT_THAT(refusal(), HasSubstr("no seed"));
  write("fathom sweep state 1\nseed 1\n| over iodepth=1..8\n| job [a]\n| job rw=randread\nrun\t2\ta\tb\tc\t\n");
  EXPECT_THAT(refusal(), HasSubstr("is not a run"));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(StateFile::open(path_, 1, kWords));
}

TEST_F(StateTest, RunsThatFailedLastAreMadeAgain) {
  auto state = StateFile::open(path_, 42, kWords);
  ASSERT_TRUE(state && state->add(kSecond) && state->add(kFirst));
  const std::string kept = text();
  ASSERT_TRUE(state->forget_failed_end());
  EXPECT_EQ(text(), kept) << "the last has numbers";
  ASSERT_TRUE(state->add(kSecond) && state->add(kSecond));
  state = StateFile::open(folder_ + "/other", 1, kWords);  // lets the first go
  state = StateFile::open(path_, 1, kWords);
  ASSERT_TRUE(state && state->forget_failed_end());
  EXPECT_EQ(state->runs(), (std::vector<StateRun>{kSecond, kFirst}));
  EXPECT_EQ(text(), kept);
  ASSERT_TRUE(state->add(kFirst));
  EXPECT_THAT(text(), HasSubstr("run\t3\tgrid\tiodepth=8\t"));
}

TEST_F(StateTest, TwoAtOnceAreRefused) {
  const auto first = StateFile::open(path_, 1, kWords);
  ASSERT_TRUE(first);
  EXPECT_THAT(refusal(), HasSubstr("another sweep uses the file"));
}

}  // namespace
}  // namespace fathom::sweep
