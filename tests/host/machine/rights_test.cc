// The rights of processes as /proc/self shows them: root's, a user's, of a container, and of this test.
#include "host/machine/rights.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/machine/kernel_settings.h"
#include "host/temp_tree.h"

namespace fathom::host::machine {
namespace {

constexpr const char* kStatus =
    "Name:\tfathom\nUid:\t1000\t1001\t1000\t1000\nGid:\t0\t0\t0\t0\nCapInh:\t0000000000000000\n"
    "CapEff:\t0000008000004000\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n";
constexpr const char* kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max open files            1024                 1048576              files     \n"
    "Max locked memory         unlimited            unlimited            bytes     \n";

TEST(Rights, OfAUserWithTwoCapabilities) {
  const testing::TempTree tree;
  tree.file("/proc/self/status", kStatus);
  tree.file("/proc/self/limits", kLimits);
  const auto rights = own_rights(tree.root());
  EXPECT_EQ(rights.user, 1001u) << "the effective one";
  EXPECT_TRUE(rights.has(CAP_BPF) && rights.has(CAP_IPC_LOCK));
  EXPECT_FALSE(rights.has(CAP_SYS_ADMIN) || rights.has(CAP_PERFMON));
  EXPECT_EQ(rights.seccomp, 2u);
  EXPECT_EQ(rights.open_files, 1024u);
  EXPECT_EQ(rights.locked_memory_bytes, kUnlimited);
}

TEST(Rights, AreUnknownWithoutProc) {
  const testing::TempTree tree;
  const auto rights = own_rights(tree.root());
  EXPECT_EQ(rights, Rights());
  EXPECT_EQ(rights.has(CAP_SYS_ADMIN), ::geteuid() == 0);
}

TEST(Rights, OfDamagedTextAreUnknown) {
  const testing::TempTree tree;
  tree.file("/proc/self/status", "Uid:\t0\nCapEff:\tlots\nSeccomp:\n");
  tree.file("/proc/self/limits", "Max open files\nMax locked memory  many  many  bytes\n");
  EXPECT_EQ(own_rights(tree.root()), Rights());
}

TEST(Rights, OfThisProcessAgreeWithTheCLibrary) {
  const auto rights = own_rights();
  EXPECT_EQ(rights.user, ::geteuid());
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(rights.open_files, limit.rlim_cur == RLIM_INFINITY ? kUnlimited : limit.rlim_cur);
}

TEST(KernelSetting, IsTheNumberOfItsFile) {
  const testing::TempTree tree;
  tree.file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
  tree.file("/proc/sys/kernel/osrelease", "6.1.0\n");
  EXPECT_EQ(kernel_setting("kernel.perf_event_paranoid", tree.root()), -1);
  EXPECT_EQ(kernel_setting("kernel.osrelease", tree.root()), std::nullopt);
  EXPECT_EQ(kernel_setting("kernel.io_uring_disabled", tree.root()), std::nullopt);
}

}  // namespace
}  // namespace fathom::host::machine
