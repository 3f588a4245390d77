// Limits on tasks, read from a made-up /proc and /sys, and the Errors that name a limit.
#include "run/records/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace fathom::run::records {
namespace {

namespace fs = std::filesystem;

class TaskLimits : public testing::Test {
 protected:
  TaskLimits() : root_(fs::temp_directory_path() / ("fathom-limits-" + std::to_string(::getpid()))) {
    put("proc/sys/kernel/pid_max", "32768\n");
    put("proc/sys/kernel/threads-max", "1000\n");
    put("proc/loadavg", "0.1 0.2 0.3 1/183 4711\n");
  }
  ~TaskLimits() override { fs::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  TaskLimit nearest() const { return task_limits(root_.string()).front(); }
  fs::path root_;
};

TEST_F(TaskLimits, PidsMaxOfAParentCgroupCounts) {
  put("proc/self/cgroup", "0::/a/b\n");
  put("sys/fs/cgroup/a/b/pids.max", "max\n");
  put("sys/fs/cgroup/a/b/pids.current", "3\n");
  put("sys/fs/cgroup/a/pids.max", "40\n");
  put("sys/fs/cgroup/a/pids.current", "40\n");
  EXPECT_EQ(nearest().name, "pids.max of cgroup /a");
  EXPECT_EQ(describe(task_limits(root_.string())), "pids.max of cgroup /a 40, 40 in use (reached)");
}

TEST_F(TaskLimits, PidsMaxOfCgroupV1IsRead) {
  put("proc/self/cgroup", "9:memory:/m\n8:pids:/jobs\n0::/\n");
  put("sys/fs/cgroup/pids/jobs/pids.max", "7\n");
  put("sys/fs/cgroup/pids/jobs/pids.current", "5\n");
  EXPECT_EQ(nearest().name, "pids.max of cgroup /jobs");
  EXPECT_EQ(nearest().limit, 7u);
  EXPECT_FALSE(nearest().reached());
}

TEST_F(TaskLimits, WithNoLimitReachedAllAreListed) {
  const auto text = describe(task_limits(root_.string()));
  EXPECT_NE(text.find("kernel.pid_max 32768, 183 in use"), std::string::npos) << text;
  EXPECT_NE(text.find("kernel.threads-max 1000, 183 in use"), std::string::npos) << text;
  EXPECT_EQ(text.find("reached"), std::string::npos) << text;
}

TEST_F(TaskLimits, TheMemoryLimitIsTheLeastOfAllCgroups) {
  EXPECT_EQ(memory_limit_bytes(root_.string()), kNoLimit);
  put("proc/self/cgroup", "9:memory:/m/n\n0::/a\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit_bytes(root_.string()), 9223372036854771712u);
  put("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "67108864\n");
  put("sys/fs/cgroup/memory/m/n/memory.limit_in_bytes", "134217728\n");
  EXPECT_EQ(memory_limit_bytes(root_.string()), 67108864u);
  put("sys/fs/cgroup/a/memory.max", "1048576\n");
  EXPECT_EQ(memory_limit_bytes(root_.string()), 1048576u);
  put("sys/fs/cgroup/a/memory.max", "max\n");
  put("proc/self/cgroup", "0::/\n");
  put("sys/fs/cgroup/memory.max", "4096\n");
  EXPECT_EQ(memory_limit_bytes(root_.string()), 4096u) << "a container's own is its root";
}

TEST_F(TaskLimits, WithoutProcTheDescriptionSaysSo) {
  EXPECT_NE(describe({}).find("cannot be read"), std::string::npos);
}

TEST(WithLimits, EmfileNamesTheDescriptorLimit) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  const auto e = with_limits(base::system_error("open `x`", EMFILE));
  EXPECT_NE(e.cause.find(std::to_string(files.rlim_cur) + " descriptors"), std::string::npos) << e.cause;
  EXPECT_NE(e.help.find("ulimit -n"), std::string::npos) << e.help;
}

TEST(WithLimits, AnExistingCauseAndHelpStay) {
  auto given = base::system_error("open `x`", EMFILE);
  given.cause = "because";
  given.help = "do";
  const auto e = with_limits(given);
  EXPECT_EQ(e.cause, "because");
  EXPECT_EQ(e.help, "do");
  EXPECT_EQ(with_limits(base::system_error("open `x`", EIO)).help, "");
}

}  // namespace
}  // namespace fathom::run::records
