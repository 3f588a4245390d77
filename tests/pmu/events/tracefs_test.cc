// Where tracepoints are described: the usual mounts, our own unattached one, and what is said where there is none.
#include "pmu/events/tracefs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fathom::pmu::events {
namespace {

TEST(Tracefs, RootHasTheBlockEventsOfThisKernel) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto root = tracefs_root();
  if (!root) GTEST_SKIP() << root.error().cause;
  std::ifstream id(*root + "/events/block/block_rq_issue/id");
  int number = 0;
  EXPECT_TRUE(id >> number);
  EXPECT_GT(number, 0);
  EXPECT_EQ(*tracefs_root(), *root) << "one mount a process";
}

TEST(Tracefs, IsFoundUnderDebugfs) {
  const auto prefix = std::filesystem::temp_directory_path() / ("fathom_tracefs_" + std::to_string(::getpid()));
  std::filesystem::create_directories(prefix / "sys/kernel/debug/tracing/events");
  EXPECT_EQ(*tracefs_root(prefix.string()), prefix.string() + "/sys/kernel/debug/tracing");
  std::filesystem::remove_all(prefix);
  const auto nowhere = tracefs_root(prefix.string());
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().kind, base::ErrorKind::privilege);
  EXPECT_NE(nowhere.error().help.find("mount -t tracefs"), std::string::npos);
}

// What `nobody` is told; a child of our own, for a process does not get its rights back.
TEST(Tracefs, AnUnreadableMountIsAPermissionErrorAndNotMissing) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const auto prefix = std::filesystem::temp_directory_path() / ("fathom_tracefs_shut_" + std::to_string(::getpid()));
  std::filesystem::create_directories(prefix / "sys/kernel/tracing/events");
  ASSERT_EQ(::chmod((prefix / "sys/kernel/tracing").c_str(), 0700), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65534) != 0) ::_exit(3);
    const auto root = tracefs_root(prefix.string());
    if (root) ::_exit(4);
    const auto& error = root.error();
    const bool said = error.cause.find("belongs to root") != std::string::npos &&
                      error.help.find("run as root") != std::string::npos &&
                      error.help.find("mount") == std::string::npos;
    ::_exit(said ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  std::filesystem::remove_all(prefix);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "3: no setuid, 4: read it, 5: said something else";
}

}  // namespace
}  // namespace fathom::pmu::events
