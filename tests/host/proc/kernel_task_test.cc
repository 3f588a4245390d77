// The kernel's own tasks by their flags, whatever their names look like.
#include "host/proc/kernel_task.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fathom::host::proc {
namespace {

TEST(KernelTasks, AreToldByTheFlagsInStat) {
  const auto root = std::filesystem::temp_directory_path() / ("fathom-kernel-task-" + std::to_string(::getpid()));
  const auto put = [&](int pid, const std::string& stat) {
    std::filesystem::create_directories(root / "proc" / std::to_string(pid));
    std::ofstream(root / "proc" / std::to_string(pid) / "stat") << stat;
  };
  put(12, "12 (kworker/0:1-kthrotld) I 2 0 0 0 -1 69238880 0 0 0 0\n");
  put(40, "40 (a) b) (69238880 ) S 1 40 40 0 -1 4194560 100 0 0 0\n");
  put(41, "41 (short) S 1\n");
  KernelTasks tasks(root.string());
  EXPECT_TRUE(tasks.contains(12));
  EXPECT_FALSE(tasks.contains(40));
  EXPECT_FALSE(tasks.contains(41));
  EXPECT_FALSE(tasks.contains(99)) << "gone";
  EXPECT_TRUE(tasks.contains(0));
  std::filesystem::remove_all(root);
}

TEST(KernelTasks, DoNotContainThisProcess) {
  KernelTasks tasks;
  EXPECT_FALSE(tasks.contains(::getpid()));
}

}  // namespace
}  // namespace fathom::host::proc
