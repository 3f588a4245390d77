// No test can cut the power; what decides over it is the order of three system calls: the new file's bytes are synced
// before they get the name, and the folder after. The functions of the C library are watched from here.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <atomic>

#include "verify/state_support.h"

namespace {

std::vector<std::string>* watched = nullptr;  // set while one thread saves
bool folders_fail = false;

}  // namespace

extern "C" int fsync(int fd) {
  struct stat facts {};
  const bool looked = watched != nullptr && ::fstat(fd, &facts) == 0, folder = looked && S_ISDIR(facts.st_mode);
  if (looked) watched->push_back(folder ? "fsync folder" : "fsync " + std::to_string(facts.st_size) + " bytes");
  if (folder && folders_fail) return errno = EIO, -1;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int linkat(int from, const char* old, int to, const char* name, int flags) noexcept {
  if (watched != nullptr) watched->push_back("link");
  return static_cast<int>(::syscall(SYS_linkat, from, old, to, name, flags));
}

extern "C" int renameat2(int from, const char* old, int to, const char* name, unsigned flags) noexcept {
  if (watched != nullptr) watched->push_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, from, old, to, name, flags));
}

namespace fathom::verify {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SaveState, SyncsTheBytesThenNamesThemThenSyncsTheFolder) {
  const Folder folder;
  std::vector<std::string> calls;
  watched = &calls;
  const auto made = state::save_state(folder / "s", small_state(10));
  const auto replaced = state::save_state(folder / "s", small_state(10));
  watched = nullptr;
  ASSERT_TRUE(made.ok() && replaced.ok());
  EXPECT_THAT(calls, ElementsAre("fsync 200 bytes", "link", "fsync folder", "fsync 200 bytes", "link", "rename",
                                 "fsync folder"));
}

TEST(SaveState, SaysThatAFolderWasNotSynced) {
  const Folder folder;
  std::vector<std::string> calls;
  watched = &calls, folders_fail = true;
  const auto saved = state::save_state(folder / "s", small_state(10));
  watched = nullptr, folders_fail = false;
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().what, "write state file: Input/output error");
  EXPECT_THAT(saved.error().cause, HasSubstr("the file exists, but may not survive a power failure"));
  EXPECT_TRUE(state::load_state(folder / "s").ok());
}

}  // namespace
}  // namespace fathom::verify
