// What a process has open: of this process, real descriptors.
#include "host/proc/descriptors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <vector>

#include "host/temp_tree.h"

namespace fathom::host::proc {
namespace {

std::vector<Descriptor> all_of(const std::string& folder) {
  std::vector<Descriptor> all;
  EXPECT_TRUE(each_descriptor(folder, std::numeric_limits<std::size_t>::max(),
                              [&](const Descriptor& one) { all.push_back(one); }));
  return all;
}

const Descriptor* find(const std::vector<Descriptor>& all, int fd) {
  for (const auto& one : all)
    if (one.fdinfo == "/proc/self/fdinfo/" + std::to_string(fd)) return &one;
  return nullptr;
}

TEST(Descriptors, ListFilesAndFoldersWithTheirFlags) {
  testing::TempTree tree;
  tree.file("/f", "x");
  const int file = ::open(tree.path("/f").c_str(), O_WRONLY), folder = ::open(tree.root().c_str(), O_RDONLY),
            root = ::open("/", O_RDONLY), path = ::open("/", O_PATH);
  int pipes[2] = {};
  ASSERT_EQ(::pipe(pipes), 0);
  const auto all = all_of("/proc/self");
  ASSERT_NE(find(all, file), nullptr);
  EXPECT_TRUE(S_ISREG(find(all, file)->type));
  EXPECT_EQ(*find(all, file)->flags() & O_ACCMODE, O_WRONLY);
  ASSERT_NE(find(all, folder), nullptr);
  EXPECT_FALSE(find(all, folder)->mount_root);
  ASSERT_NE(find(all, root), nullptr);
  EXPECT_TRUE(find(all, root)->mount_root);
  ASSERT_NE(find(all, path), nullptr);
  EXPECT_FALSE(find(all, path)->flags().has_value());
  EXPECT_EQ(find(all, pipes[0]), nullptr);
  for (const int fd : {file, folder, root, path, pipes[0], pipes[1]}) ::close(fd);
}

TEST(Descriptors, OfAnEndedProcessAreEmpty) { EXPECT_TRUE(all_of("/proc/999999999").empty()); }

// A file system whose server never says a word.
TEST(Descriptors, DoNotWaitForAFuseServerThatHangs) {
  testing::TempTree tree;
  const int server = ::open("/dev/fuse", O_RDWR | O_CLOEXEC);
  const std::string options = "fd=" + std::to_string(server) + ",rootmode=40000,user_id=0,group_id=0";
  if (server < 0 || ::mount("fathom", tree.root().c_str(), "fuse", 0, options.c_str()) != 0)
    GTEST_SKIP() << "no file system can be mounted here";
  const int held = ::open(tree.root().c_str(), O_PATH);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(find(all_of("/proc/self"), held) != nullptr ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(held);
  ::umount2(tree.root().c_str(), MNT_DETACH);
  ::close(server);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "it was held up";
}

}  // namespace
}  // namespace fathom::host::proc
