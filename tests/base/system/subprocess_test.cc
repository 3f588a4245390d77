// A command that is held, let go and waited for: its status, its words, and what becomes of it when its owner ends.
#include "base/system/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace fathom::base::system {
namespace {

using Orphan = Subprocess::Orphan;

Ended end_of(Subprocess& command) {
  std::optional<Ended> ended;
  while (!ended) ended = command.wait(1000);
  return *ended;
}

TEST(Subprocess, IsHeldUntilItIsLetGo) {
  const auto mark = std::filesystem::path(testing::TempDir()) / ("fathom-subprocess-" + std::to_string(::getpid()));
  auto command = Subprocess::hold({"touch", mark}, Orphan::killed);
  ASSERT_TRUE(command.ok());
  EXPECT_FALSE(command->wait(20).has_value());
  EXPECT_FALSE(std::filesystem::exists(mark));
  ASSERT_EQ(command->let_go(), 0);
  EXPECT_EQ(end_of(*command).status, 0);
  EXPECT_TRUE(std::filesystem::remove(mark));
}

TEST(Subprocess, StatusesAreThoseOfAShell) {
  for (const auto& [script, status] : {std::pair{"exit 5", 5}, {"kill -TERM $$", kBySignal + SIGTERM}}) {
    auto command = Subprocess::hold({"sh", "-c", script}, Orphan::killed);
    ASSERT_TRUE(command.ok() && command->let_go() == 0);
    EXPECT_EQ(end_of(*command).status, status);
    EXPECT_EQ(command->wait(0)->status, status) << "who asks again is told again";
  }
}

TEST(Subprocess, ArgumentsAreNotInterpretedByAShell) {
  auto command = Subprocess::hold({"test", "a;exit 3 $HOME *", "=", "a;exit 3 $HOME *"}, Orphan::killed);
  ASSERT_TRUE(command.ok() && command->let_go() == 0);
  EXPECT_EQ(end_of(*command).status, 0);
}

TEST(Subprocess, AMissingProgramIsEnoentAndReaped) {
  auto command = Subprocess::hold({"/nonexistent/program"}, Orphan::goes_on);
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->let_go(), ENOENT);
  EXPECT_EQ(::waitpid(command->pid(), nullptr, 0), -1) << "it was waited for";
  EXPECT_FALSE(Subprocess::hold({}, Orphan::killed).ok());
}

TEST(Subprocess, ADroppedHeldCommandLeavesNoProcess) {
  for (const auto orphan : {Orphan::killed, Orphan::goes_on}) {
    pid_t pid = 0;
    {
      auto command = Subprocess::hold({"sleep", "100"}, orphan);
      ASSERT_TRUE(command.ok());
      pid = command->pid();
    }
    EXPECT_NE(::kill(pid, 0), 0);
  }
}

TEST(Subprocess, OrphanDecidesWhetherADroppedCommandIsKilled) {
  for (const auto orphan : {Orphan::killed, Orphan::goes_on}) {
    pid_t pid = 0;
    {
      auto command = Subprocess::hold({"sleep", "100"}, orphan);
      ASSERT_TRUE(command.ok() && command->let_go() == 0);
      auto moved = std::move(*command);
      pid = moved.pid();
      moved.send(0);
    }
    EXPECT_EQ(::kill(pid, 0) == 0, orphan == Orphan::goes_on);
    if (orphan == Orphan::killed) continue;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
}

TEST(Subprocess, SignalsReachItAndCpuTimesAreReported) {
  auto command = Subprocess::hold({"sh", "-c", "while :; do :; done"}, Orphan::killed);
  ASSERT_TRUE(command.ok() && command->let_go() == 0);
  EXPECT_FALSE(command->wait(100).has_value());
  command->send(SIGTERM);
  const auto ended = end_of(*command);
  EXPECT_EQ(ended.status, kBySignal + SIGTERM);
  EXPECT_GT(ended.user_s + ended.system_s, 0);
}

}  // namespace
}  // namespace fathom::base::system
