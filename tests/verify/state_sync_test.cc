// No test can cut the power; what decides over it is the order of three system calls: the new file's bytes are synced
// before it takes the name, and the folder after. The two functions of the C library are watched from here.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>

#include "verify/state_support.h"

namespace {

std::vector<std::string>* watched = nullptr;  // set while one thread saves

}  // namespace

extern "C" int fsync(int fd) {
  struct stat facts {};
  if (watched != nullptr && ::fstat(fd, &facts) == 0)
    watched->push_back(S_ISDIR(facts.st_mode) ? "fsync folder" : "fsync " + std::to_string(facts.st_size) + " bytes");
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  if (watched != nullptr) watched->push_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace fathom::verify {
namespace {

using namespace testing;
using ::testing::ElementsAre;

TEST(SaveState, SyncsTheBytesThenRenamesThenSyncsTheFolder) {
  const Folder folder;
  std::vector<std::string> calls;
  watched = &calls;
  const auto saved = state::save_state(folder / "s", small_state(10));
  watched = nullptr;
  ASSERT_TRUE(saved.ok());
  EXPECT_THAT(calls, ElementsAre("fsync 200 bytes", "rename", "fsync folder"));
}

}  // namespace
}  // namespace fathom::verify
