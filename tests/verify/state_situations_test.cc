// Where a state cannot be saved: a full file system, a folder that may not be written, another user's file, a
// read-only mount. Each says so, and what was there before is there afterwards. They are made for real, which takes
// root; without it they are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "verify/state_support.h"

namespace fathom::verify {
namespace {

using namespace testing;

constexpr int kCannotBeMade = 77;
constexpr uid_t kNobody = 65534;

// What went wrong, 0 if all is as it should be. Exit statuses, as it runs in a child.
int keeps_the_old(const std::string& path, const std::string& what) {
  const auto saved = state::save_state(path, small_state(20));
  if (saved.ok()) return 2;
  if (saved.error().what != what) return 3;
  if (saved.error().cause.find("the previous file is unchanged") == std::string::npos) return 4;
  const auto state = state::load_state(path);
  return state.ok() && *state == small_state(10) ? 0 : 5;
}

// A mount that nobody else sees and that ends with the process.
bool mount_tmpfs(const std::string& folder, const char* options) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("fathom-test", folder.c_str(), "tmpfs", 0, options) == 0;
}

bool fill(const std::string& path) {
  const Bytes page(4096);
  std::ofstream file(path, std::ios::binary);
  while (file.write(reinterpret_cast<const char*>(page.data()), 4096).flush()) continue;
  return errno == ENOSPC;
}

bool become_nobody() { return ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0; }

void expect_done(int status) {
  if (status == kCannotBeMade) GTEST_SKIP() << "needs root, and mounts";
  EXPECT_EQ(status, 0);
}

TEST(SaveState, AFullFileSystemKeepsTheOldState) {
  const Folder folder;
  expect_done(in_child([&] {
    if (!mount_tmpfs(folder.path(), "size=64k")) return kCannotBeMade;
    if (!state::save_state(folder / "s", small_state(10)).ok()) return 1;
    if (!fill(folder / "filling")) return 6;
    if (const int wrong = keeps_the_old(folder / "s", "write state file: No space left on device"); wrong != 0)
      return wrong;
    return folder.names().size() == 2 ? 0 : 7;
  }));
}

TEST(SaveState, AFileSystemWithoutInodesKeepsTheOldState) {
  const Folder folder;
  expect_done(in_child([&] {
    if (!mount_tmpfs(folder.path(), "nr_inodes=2")) return kCannotBeMade;  // the root's, and one
    if (!state::save_state(folder / "s", small_state(10)).ok()) return 1;
    return keeps_the_old(folder / "s", "write state file: No space left on device");
  }));
}

TEST(SaveState, AReadOnlyMountKeepsTheOldState) {
  const Folder folder;
  expect_done(in_child([&] {
    if (!mount_tmpfs(folder.path(), "size=64k")) return kCannotBeMade;
    if (!state::save_state(folder / "s", small_state(10)).ok()) return 1;
    if (::mount(nullptr, folder.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return kCannotBeMade;
    return keeps_the_old(folder / "s", "open state file: Read-only file system");
  }));
}

TEST(SaveState, AnUnwritableFolderKeepsTheOldState) {
  const Folder folder;
  ASSERT_TRUE(state::save_state(folder / "s", small_state(10)).ok());
  ::chmod(folder.path().c_str(), 0555);
  expect_done(in_child([&] {
    if (::geteuid() == 0 && !become_nobody()) return kCannotBeMade;
    return keeps_the_old(folder / "s", "open state file: Permission denied");
  }));
  ::chmod(folder.path().c_str(), 0755);
}

// As of fio: the folder's bits alone would let it be replaced, by a file of another owner.
TEST(SaveState, AnotherUsersStateStays) {
  for (const mode_t mode : {0777, 01777}) {
    const Folder folder;
    ASSERT_TRUE(state::save_state(folder / "s", small_state(10)).ok());
    ::chmod(folder.path().c_str(), mode);
    expect_done(in_child([&] {
      if (::geteuid() != 0 || !become_nobody()) return kCannotBeMade;
      const int wrong = keeps_the_old(folder / "s", "open state file: Permission denied");
      return wrong != 0 ? wrong : folder.names().size() == 1 ? 0 : 7;
    }));
  }
}

TEST(SaveState, AnUnreadableStateIsAnErrorOnLoading) {
  const Folder folder;
  ASSERT_TRUE(state::save_state(folder / "s", small_state(10)).ok());
  ::chmod((folder / "s").c_str(), 0);
  ::chmod(folder.path().c_str(), 0755);
  expect_done(in_child([&] {
    if (::geteuid() == 0 && !become_nobody()) return kCannotBeMade;
    const auto state = state::load_state(folder / "s");
    return !state.ok() && state.error().what == "open state file: Permission denied" ? 0 : 1;
  }));
}

}  // namespace
}  // namespace fathom::verify
