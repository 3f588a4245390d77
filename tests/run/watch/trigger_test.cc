// When a trigger fires, how often, and what it leaves.
#include "run/watch/trigger.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace fathom::run::watch {
namespace {

class TriggerTest : public ::testing::Test {
 protected:
  TriggerTest() {
    std::string name = "/tmp/fathom-trigger-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~TriggerTest() override { std::filesystem::remove_all(folder_); }
  std::string in_folder(const char* name) const { return folder_ + "/" + name; }
  bool there(const char* name) const { return ::access(in_folder(name).c_str(), F_OK) == 0; }
  void touch(const char* name) const { std::ofstream(in_folder(name)) << "x"; }
  Trigger made() {
    Trigger trigger(wishes_, [this] { ++fired_; });
    trigger.begin(1'000);
    return trigger;
  }
  TriggerWishes wishes_;
  std::string folder_;
  int fired_ = 0;
};

TEST_F(TriggerTest, WithoutTriggerOptionsItNeverFires) {
  auto trigger = made();
  EXPECT_EQ(trigger.next_ns(), UINT64_MAX);
  trigger.look(UINT64_MAX - 1);
  trigger.run_command();
  EXPECT_EQ(fired_, 0);
}

TEST_F(TriggerTest, FiresOnceWhenTheFileAppears) {
  wishes_ = {in_folder("t"), 0, "echo ended > " + in_folder("said")};
  auto trigger = made();
  trigger.look(2'000);
  EXPECT_EQ(fired_, 0);
  EXPECT_GE(trigger.next_ns(), 10'002'000u);  // the beat: 10 to 100 ms
  EXPECT_LE(trigger.next_ns(), 100'002'000u);
  touch("t");
  trigger.look(3'000);  // too early
  EXPECT_EQ(fired_, 0);
  trigger.look(trigger.next_ns());
  EXPECT_EQ(fired_, 1);
  EXPECT_FALSE(there("t"));
  EXPECT_FALSE(there("said"));  // the jobs have not ended
  trigger.run_command();
  EXPECT_TRUE(there("said"));
  touch("t");
  trigger.look(UINT64_MAX - 1);
  EXPECT_EQ(fired_, 1);
  EXPECT_TRUE(trigger.findings().empty());
}

TEST_F(TriggerTest, FiresWhenTheTimeHasPassed) {
  wishes_ = {{}, 5'000'000'000, {}};
  auto trigger = made();
  EXPECT_EQ(trigger.next_ns(), 5'000'001'000u);
  trigger.look(5'000'000'999);
  EXPECT_EQ(fired_, 0);
  trigger.look(5'000'001'000);
  EXPECT_EQ(fired_, 1);
}

TEST_F(TriggerTest, WithoutFiringThereIsNoCommand) {
  wishes_ = {in_folder("t"), 5'000'000'000, "touch " + in_folder("said")};
  auto trigger = made();
  trigger.look(2'000);
  trigger.run_command();
  EXPECT_FALSE(there("said"));
}

TEST_F(TriggerTest, AFailedCommandIsReported) {
  wishes_ = {in_folder("t"), 0, "exit 3"};
  touch("t");
  auto trigger = made();
  trigger.look(2'000);
  trigger.run_command();
  ASSERT_EQ(trigger.findings().size(), 1u);
  EXPECT_NE(trigger.findings()[0].evidence.find("status 3"), std::string::npos);
}

// A folder cannot be unlinked. It fires once, and says that it will again.
TEST_F(TriggerTest, ATriggerFileThatCannotBeRemovedIsReported) {
  wishes_ = {in_folder("t"), 0, {}};
  ASSERT_EQ(::mkdir(in_folder("t").c_str(), 0700), 0);
  auto trigger = made();
  trigger.look(2'000);
  trigger.look(UINT64_MAX - 1);
  EXPECT_EQ(fired_, 1);
  ASSERT_EQ(trigger.findings().size(), 1u);
  EXPECT_NE(trigger.findings()[0].evidence.find("could not be removed"), std::string::npos);
}

}  // namespace
}  // namespace fathom::run::watch
