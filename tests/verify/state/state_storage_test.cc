// Saved states are there, whole and readable; what cannot be saved or loaded says why in fio's words, and leaves what
// was there.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/time.h"
#include "verify/state_support.h"

namespace fathom::verify::state {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(StateStorage, WhatIsSavedIsLoaded) {
  const Folder folder;
  const State state = small_state(10);
  ASSERT_TRUE(save_state(folder / "s", state).ok());
  EXPECT_EQ(*load_state(folder / "s"), state);
  ASSERT_TRUE(save_state(folder / "s", small_state(20)).ok());
  EXPECT_EQ(*load_state(folder / "s"), small_state(20));
  EXPECT_THAT(folder.names(), ElementsAre("s"));
}

TEST(StateStorage, HasFiosMode) {
  const Folder folder;
  const mode_t before = ::umask(0);
  ASSERT_TRUE(save_state(folder / "s", small_state(10)).ok());
  ::umask(before);
  struct stat facts {};
  ASSERT_EQ(::stat((folder / "s").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0644);
}

TEST(StateStorage, IsSavedInTheWorkingDirectory) {
  const Folder folder;
  EXPECT_EQ(in_child([&] {
              if (::chdir(folder.path().c_str()) != 0) return 1;
              return save_state("s", small_state(10)).ok() && load_state("s").ok() ? 0 : 2;
            }),
            0);
  EXPECT_THAT(folder.names(), ElementsAre("s"));
}

TEST(StateStorage, AMissingStateIsReportedInFiosWords) {
  const Folder folder;
  const auto state = load_state(folder / "none");
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().what, "open state file: No such file or directory");
  EXPECT_EQ(state.error().cause, "state file: " + (folder / "none") + " (for_write=0)");
  EXPECT_EQ(state.error().sys_errno, ENOENT);
}

TEST(StateStorage, AMissingFolderIsReported) {
  const Folder folder;
  const auto saved = save_state(folder / "no/s", small_state(10));
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().what, "open state file: No such file or directory");
  EXPECT_THAT(saved.error().cause, HasSubstr("no/s (for_write=1)"));
}

TEST(StateStorage, ABadStateIsNotSavedAndTheOldOneStays) {
  const Folder folder;
  ASSERT_TRUE(save_state(folder / "s", small_state(10)).ok());
  State bad = small_state(20);
  bad.version = 4;
  EXPECT_FALSE(save_state(folder / "s", bad).ok());
  EXPECT_EQ(*load_state(folder / "s"), small_state(10));
}

TEST(StateStorage, ErrorsNameTheFile) {
  const Folder folder;
  write_bytes(folder / "s", Bytes(10));
  EXPECT_EQ(load_state(folder / "s").error().what, "failed reading verify state header");
  EXPECT_EQ(load_state(folder / "s").error().cause, "state file: " + (folder / "s") + ": the file has 10 bytes");
}

// Sparse: it would take a terabyte of memory, or an hour.
TEST(StateStorage, AHugeFileIsNotRead) {
  const Folder folder("/var/tmp");
  write_bytes(folder / "s", fixture("fio-3.33-sequential.state"));
  ASSERT_EQ(::truncate((folder / "s").c_str(), 1ll << 40), 0);
  const auto state = load_state(folder / "s");
  ASSERT_FALSE(state.ok());
  EXPECT_THAT(state.error().cause, HasSubstr("larger than any state"));
}

TEST(StateStorage, APipeFolderOrDeviceIsRefusedWithoutWaiting) {
  const Folder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {folder / "pipe", folder.path(), std::string("/dev/zero")})
    EXPECT_THAT(load_state(path).error().cause, HasSubstr("not a regular file")) << path;
}

// Its name is nobody's, whatever it looks like.
TEST(StateStorage, AUsersFileIsNeverTheTemporaryOne) {
  const Folder folder;
  write_bytes(folder / "s.new", Bytes(100'000));
  ASSERT_TRUE(save_state(folder / "s", small_state(10)).ok());
  EXPECT_EQ(bytes_of(folder / "s"), *format_state(small_state(10)));
  EXPECT_EQ(bytes_of(folder / "s.new"), Bytes(100'000));
}

TEST(StateStorage, AUsersFileOfTheStatesNameStays) {
  const Folder folder;
  write_bytes(folder / "s", Bytes(100));
  const auto saved = save_state(folder / "s", small_state(10));
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(saved.error().cause, HasSubstr("a file of 100 bytes that fathom did not write exists"));
  EXPECT_EQ(bytes_of(folder / "s"), Bytes(100));
}

// A link in a shared folder points to somebody else's file, or to where one is to appear.
TEST(StateStorage, ALinkInASharedFolderIsNotFollowed) {
  for (const bool there : {true, false}) {
    const Folder folder;
    if (there) write_bytes(folder / "precious", Bytes(5));
    ASSERT_EQ(::symlink((folder / "precious").c_str(), (folder / "s").c_str()), 0);
    ::chmod(folder.path().c_str(), 0777);
    const auto saved = save_state(folder / "s", small_state(10));
    ASSERT_FALSE(saved.ok());
    EXPECT_EQ(saved.error().kind, base::ErrorKind::refused);
    EXPECT_EQ(bytes_of(folder / "precious"), Bytes(there ? 5 : 0));
    EXPECT_EQ(folder.names().size(), there ? 2 : 1);
  }
}

// The limit of a file's size stands in for a full medium: the first bytes are written, then no more.
TEST(StateStorage, AWriteThatFailsHalfwayKeepsTheOldState) {
  const Folder folder;
  ASSERT_TRUE(save_state(folder / "s", small_state(10)).ok());
  EXPECT_EQ(in_child([&] {
              const rlimit limit{100, 100};
              ::signal(SIGXFSZ, SIG_IGN);
              if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
              const auto saved = save_state(folder / "s", small_state(20));
              if (saved.ok()) return 2;
              return saved.error().what == "write state file: File too large" ? 0 : 3;
            }),
            0);
  EXPECT_EQ(*load_state(folder / "s"), small_state(10));
  EXPECT_THAT(folder.names(), ElementsAre("s"));
}

// Long enough that the two are in the middle of it at the same time.
State long_state(std::uint64_t writes_issued, std::uint32_t depth) {
  State state = small_state(writes_issued);
  state.slots.assign(depth, writes_issued);
  state.depth = depth;
  return state;
}

int save_for_a_while(const std::string& path, std::uint32_t depth) {
  const std::uint64_t until = base::monotonic_ns() + 200'000'000;
  for (std::uint64_t n = 0; base::monotonic_ns() < until; ++n)
    if (!save_state(path, long_state(n, depth)).ok()) return 1;
  return 0;
}

// Of different lengths, so that one written into the other would show.
TEST(StateStorage, TwoWhoSaveAtOnceTakeTurns) {
  const Folder folder;
  const std::string path = folder / "s";
  ASSERT_TRUE(save_state(path, small_state(1)).ok());
  std::vector<pid_t> children;
  for (const std::uint32_t depth : {5'000, 20'000}) {
    children.push_back(::fork());
    if (children.back() == 0) ::_exit(save_for_a_while(path, depth));
  }
  const std::uint64_t until = base::monotonic_ns() + 200'000'000;
  while (base::monotonic_ns() < until) ASSERT_TRUE(load_state(path).ok());
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_THAT(load_state(path)->depth, ::testing::AnyOf(5'000, 20'000));
  EXPECT_THAT(folder.names(), ElementsAre("s"));
}

}  // namespace
}  // namespace fathom::verify::state
