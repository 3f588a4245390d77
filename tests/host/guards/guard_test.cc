// The guard on real loop devices: what was put on them is what it finds. Needs root; skipped with its reason otherwise.
#include "host/guards/guard.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "host/disk_images.h"
#include "host/loop_device.h"
#include "host/proc/text_file.h"

namespace fathom::host::guards {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WriteGuardOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!loop_.ok()) GTEST_SKIP() << loop_.skip_reason();
  }
  DeviceUse use() const {
    auto found = device_use(loop_.path());
    EXPECT_TRUE(found.ok()) << found.error().what;
    return found.ok() ? *found : DeviceUse{};
  }
  bool refused(const GuardOptions& options = {}) const {
    const auto verdict = guard_write(loop_.path(), options);
    EXPECT_TRUE(verdict.ok() || verdict.error().kind == base::ErrorKind::refused) << verdict.error().what;
    return !verdict.ok();
  }
  bool shell(const std::string& command) const { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }
  testing::LoopDevice loop_;
};

class Mounted {
 public:
  Mounted(const std::string& device, std::string folder, const char* file_system = "ext4",
          const std::string& options = "")
      : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    ok_ = ::mount(device.c_str(), folder_.c_str(), file_system, 0, options.c_str()) == 0;
  }
  ~Mounted() {
    if (ok_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  bool ok() const { return ok_; }

 private:
  std::string folder_;
  bool ok_;
};

// A child that has the device open until this object ends.
class OpenInAnotherProcess {
 public:
  OpenInAnotherProcess(const std::string& path, int flags, bool main_thread_ends = false) {
    int ready[2] = {-1, -1};
    if (::pipe(ready) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
      for (int other = 0; other < 64; ++other)  // what the parent had open is not this process's own
        if (other != fd && other != ready[1]) ::close(other);
      const char byte = fd >= 0 ? 'y' : 'n';
      if (main_thread_ends) {
        std::thread([] { ::pause(); }).detach();
        if (::write(ready[1], &byte, 1) == 1) ::syscall(SYS_exit, 0);
      }
      if (::write(ready[1], &byte, 1) == 1) ::pause();
      ::_exit(0);
    }
    char byte = 'n';
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~OpenInAnotherProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST_F(WriteGuardOnDevice, AnEmptyDeviceIsFree) {
  const auto u = use();
  EXPECT_FALSE(u.in_use()) << describe(u);
  EXPECT_EQ(u.size_bytes, testing::LoopDevice::kBytes);
  EXPECT_EQ(u.model, "loop of " + loop_.file());
  EXPECT_FALSE(refused());
}

TEST_F(WriteGuardOnDevice, AFileSystemAndItsMountAreFound) {
  ASSERT_TRUE(shell("mkfs.ext4 -q -L photos " + loop_.path()));
  EXPECT_EQ(use().content, "ext4");
  EXPECT_EQ(use().label, "photos");
  EXPECT_TRUE(use().mounts.empty());
  EXPECT_TRUE(refused());

  const std::string point = loop_.folder("/a b");
  const Mounted mounted(loop_.path(), point);
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  EXPECT_THAT(use().mounts, ElementsAre(point));
  EXPECT_TRUE(refused());
  EXPECT_TRUE(refused({.allow_destructive = {}, .allow_mounted_write = true}));
  EXPECT_TRUE(refused({.allow_destructive = {loop_.path()}})) << "a mount wants its own word";
  EXPECT_TRUE(refused({.allow_destructive = {loop_.path() + ":swap"}}));
  EXPECT_FALSE(refused({.allow_destructive = {loop_.path() + ":mounted"}}));
  EXPECT_FALSE(refused({.allow_destructive = {loop_.path()}, .allow_mounted_write = true}));
}

TEST_F(WriteGuardOnDevice, ActiveSwapIsFound) {
  ASSERT_TRUE(shell("mkswap " + loop_.path()));
  EXPECT_EQ(use().content, "swap");
  EXPECT_FALSE(use().swap);
  if (::swapon(loop_.path().c_str(), 0) != 0) GTEST_SKIP() << "this process may not swapon";
  const bool seen = use().swap, by_name = !refused({.allow_destructive = {loop_.path()}});
  const bool by_word = !refused({.allow_destructive = {loop_.path() + ":swap"}});
  ::swapoff(loop_.path().c_str());
  EXPECT_TRUE(seen);
  EXPECT_FALSE(by_name) << "active swap wants its own word";
  EXPECT_TRUE(by_word);
}

TEST_F(WriteGuardOnDevice, PartitionTablesAreFound) {
  loop_.put(0, testing::dos_table());
  EXPECT_EQ(use().partition_table, "dos");
  EXPECT_TRUE(refused());
  loop_.put(0, std::string(512, '\0'));
  EXPECT_EQ(use().partition_table, "");
  loop_.put(0, testing::gpt_table(testing::LoopDevice::kBytes));
  EXPECT_EQ(use().partition_table, "gpt");
  EXPECT_TRUE(refused());
}

TEST_F(WriteGuardOnDevice, AGptWithoutAProtectiveMbrIsFound) {
  loop_.put(512, testing::gpt_table(testing::LoopDevice::kBytes).substr(512));
  EXPECT_EQ(use().partition_table, "gpt");
}

TEST_F(WriteGuardOnDevice, TwoSignaturesAreBothNamed) {
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  loop_.put(0, testing::dos_table());
  loop_.put(512, testing::lvm2_label());
  const auto u = use();
  EXPECT_EQ(u.partition_table, "dos");
  EXPECT_THAT(u.content, HasSubstr("ext4"));
  EXPECT_THAT(u.content, HasSubstr("LVM2_member"));
}

TEST_F(WriteGuardOnDevice, AnUnexplainedExclusiveHolderIsFound) {
  EXPECT_FALSE(use().busy);
  const base::system::UniqueFd claim(::open(loop_.path().c_str(), O_RDONLY | O_EXCL));
  ASSERT_TRUE(claim);
  EXPECT_TRUE(use().busy);
  EXPECT_TRUE(refused());
}

TEST_F(WriteGuardOnDevice, ABlankDeviceOpenForWritingElsewhereIsRefusedWithTheProcess) {
  const OpenInAnotherProcess writer(loop_.path(), O_WRONLY);
  const std::string who = "(pid " + std::to_string(writer.pid()) + ", in the same process group)";
  const auto verdict = guard_write(loop_.path(), {});
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, ::testing::AllOf(HasSubstr("open for writing in "), HasSubstr(who)));
  EXPECT_FALSE(guard_use(loop_.path()).ok());
  EXPECT_FALSE(refused({.allow_destructive = {loop_.path()}}));
}

TEST_F(WriteGuardOnDevice, AWriterWhoseMainThreadEndedIsFound) {
  const OpenInAnotherProcess writer(loop_.path(), O_WRONLY, true);
  const std::string stat = "/proc/" + std::to_string(writer.pid()) + "/stat";
  for (int i = 0; i < 1000 && proc::read_line(stat).find(") Z ") == std::string::npos; ++i) ::usleep(1000);
  ASSERT_THAT(proc::read_line(stat), HasSubstr(") Z "));
  const auto verdict = guard_write(loop_.path(), {});
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, HasSubstr("(pid " + std::to_string(writer.pid())));
}

TEST_F(WriteGuardOnDevice, AReaderOfABlankDeviceIsAllowed) {
  const OpenInAnotherProcess reader(loop_.path(), O_RDONLY);
  EXPECT_FALSE(refused());
}

TEST_F(WriteGuardOnDevice, TheProcessHoldingADeviceExclusivelyIsNamed) {
  const OpenInAnotherProcess claim(loop_.path(), O_RDONLY | O_EXCL);
  const auto verdict = guard_write(loop_.path(), {});
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, HasSubstr("held exclusively"));
  EXPECT_THAT(verdict.error().cause, HasSubstr("(pid " + std::to_string(claim.pid()) + ","));
}

TEST_F(WriteGuardOnDevice, PartitionsKnownToTheKernelAreFoundWithoutATable) {
  const std::string partition = loop_.path() + "p1";
  ASSERT_TRUE(loop_.hold_partition(1, 1 << 20)) << std::strerror(errno);
  ASSERT_TRUE(shell("mkfs.ext4 -q -F -L photos " + partition));
  EXPECT_EQ(use().partition_table, "");
  EXPECT_EQ(use().content, "");
  EXPECT_THAT(use().partitions, ElementsAre(HasSubstr("p1 carries ext4 (label \"photos\")")));
  EXPECT_TRUE(refused());
  EXPECT_FALSE(refused({.allow_destructive = {loop_.path()}}));
  ASSERT_TRUE(shell("wipefs -qaf " + partition));
  EXPECT_FALSE(refused()) << "a blank partition is nobody's data";
  loop_.forget_partition(1);
}

TEST_F(WriteGuardOnDevice, AFileThatBacksALoopDeviceIsRefused) {
  const auto verdict = [&](std::set<std::string> allow = {}) { return guard_write(loop_.file(), {std::move(allow)}); };
  ASSERT_FALSE(verdict().ok());
  EXPECT_EQ(verdict().error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict().error().cause, HasSubstr("in use by a loop device: " + loop_.path().substr(5)));
  const std::string other_name = loop_.folder("/hard_link");
  std::filesystem::create_hard_link(loop_.file(), other_name);
  EXPECT_FALSE(guard_write(other_name, {}).ok());
  EXPECT_TRUE(verdict({loop_.file()}).ok());

  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  const Mounted mounted(loop_.path(), loop_.folder("/m"));
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  EXPECT_FALSE(verdict({loop_.file()}).ok()) << "what is mounted from it wants its own word";
  EXPECT_TRUE(verdict({loop_.file() + ":mounted"}).ok());
}

// One image, a loop device over all of it that is mounted, one over the same bytes and one over others.
TEST_F(WriteGuardOnDevice, AMountOfAnotherLoopDeviceOverTheSameBytesIsFound) {
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path() + " 32m"));
  const auto attach = [&](std::uint64_t offset) { return testing::LoopDevice(loop_.file(), offset); };
  const auto other = attach(0), beyond = attach(48 << 20);
  ASSERT_TRUE(other.ok() && beyond.ok());
  const auto wants_mounted = [](const std::string& device) {
    const auto by_name = guard_write(device, {.allow_destructive = {device}});
    return !by_name.ok() && guard_write(device, {.allow_destructive = {device + ":mounted"}}).ok();
  };
  EXPECT_FALSE(wants_mounted(other.path()));
  struct loop_info64 info {};
  const base::system::UniqueFd fd(::open(loop_.path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::ioctl(fd.get(), LOOP_GET_STATUS64, &info), 0);
  info.lo_sizelimit = 32 << 20;
  ASSERT_EQ(::ioctl(fd.get(), LOOP_SET_STATUS64, &info), 0);
  const Mounted mounted(loop_.path(), loop_.folder("/m"));
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  ASSERT_TRUE(wants_mounted(other.path()));
  const auto verdict = guard_write(other.path(), {.allow_destructive = {other.path()}});
  EXPECT_THAT(verdict.error().cause, HasSubstr(loop_.path().substr(5) + ", over the same file)"));
  EXPECT_TRUE(guard_write(beyond.path(), {}).ok()) << "another part of the file";
}

TEST_F(WriteGuardOnDevice, AnOverlayFileAndItsLayersFileAreOneFile) {
  const Mounted layers("none", loop_.folder("/layers"), "tmpfs");
  if (!layers.ok()) GTEST_SKIP() << "this process may not mount";
  for (const auto* name : {"/upper", "/lower", "/work"})
    std::filesystem::create_directory(loop_.folder("/layers") + name);
  const std::string in = loop_.folder("/layers"), upper = in + "/upper/f", lower = in + "/lower/g";
  for (const auto& path : {upper, lower}) std::ofstream(path) << std::string(1 << 20, '\0');
  const std::string options = "upperdir=" + in + "/upper,lowerdir=" + in + "/lower,workdir=" + in + "/work";
  const Mounted overlay("overlay", loop_.folder("/merged"), "overlay", options);
  if (!overlay.ok()) GTEST_SKIP() << "no overlay file system here";
  const std::string merged = loop_.folder("/merged");
  EXPECT_TRUE(guard_write(upper, {}).ok());
  {
    const testing::LoopDevice on_merged(merged + "/f", 0);
    ASSERT_TRUE(on_merged.ok());
    EXPECT_FALSE(guard_write(merged + "/f", {}).ok());
    EXPECT_FALSE(guard_write(upper, {}).ok());
  }
  {
    const testing::LoopDevice on_upper(upper, 0);
    ASSERT_TRUE(on_upper.ok());
    EXPECT_FALSE(guard_write(upper, {}).ok());
    EXPECT_FALSE(guard_write(merged + "/f", {}).ok());
  }
  const testing::LoopDevice on_lower(lower, 0);
  ASSERT_TRUE(on_lower.ok());
  EXPECT_FALSE(guard_write(lower, {}).ok());
  EXPECT_TRUE(guard_write(merged + "/g", {}).ok()) << "a write copies it up: the lower layer's stays";
}

TEST_F(WriteGuardOnDevice, ACopyOfTheBackingFileIsFree) {
  const std::string copy = loop_.folder("/copy");
  std::filesystem::copy_file(loop_.file(), copy);
  EXPECT_TRUE(guard_write(copy, {}).ok());
}

// The second look, at the opened descriptor.
class WriteGuardLookAgain : public WriteGuardOnDevice {
 protected:
  void SetUp() override {
    WriteGuardOnDevice::SetUp();
    if (IsSkipped()) return;
    const WriteWish wishes[] = {{loop_.path(), false}};
    placement::Placements placements;
    ASSERT_TRUE(guard_.look(wishes, placements).ok());
  }
  base::Expected<void> again(const std::string& opened) const {
    const base::system::UniqueFd fd(::open(opened.c_str(), O_RDONLY));
    EXPECT_TRUE(fd);
    return guard_.look_again(loop_.path(), fd.get());
  }
  WriteGuard guard_{{}};
};

TEST_F(WriteGuardLookAgain, AllowsAnUnchangedDevice) {
  const OpenInAnotherProcess own_worker(loop_.path(), O_RDWR);
  EXPECT_TRUE(again(loop_.path()).ok());
}

TEST_F(WriteGuardOnDevice, ADeviceNamedByManyWishesIsExaminedOnceWhileUnchanged) {
  const std::string alias = loop_.folder("/by-id");
  std::filesystem::create_symlink(loop_.path(), alias);
  std::vector<WriteWish> wishes;
  for (int i = 0; i < 100; ++i) wishes.push_back({i % 2 == 0 ? loop_.path() : alias, false});
  // Other programs of this machine mount and swap too: then it is looked at again, rightly, and this test with it.
  for (int attempt = 1;; ++attempt) {
    WriteGuard guard{{}};
    placement::Placements placements;
    ASSERT_TRUE(guard.look(wishes, placements).ok());
    const base::system::UniqueFd fd(::open(alias.c_str(), O_RDONLY));
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(guard.look_again(alias, fd.get()).ok());
    if (guard.judged() == 1) break;
    ASSERT_LT(attempt, 20) << "mounts, swap and holders are as they were";
  }

  WriteGuard guard{{}};
  placement::Placements placements;
  ASSERT_TRUE(guard.look(wishes, placements).ok());
  const auto judged = guard.judged();
  const base::system::UniqueFd fd(::open(alias.c_str(), O_RDONLY));
  const Mounted other("none", loop_.folder("/elsewhere"), "tmpfs");
  if (!other.ok()) GTEST_SKIP() << "this process may not mount";
  EXPECT_TRUE(guard.look_again(loop_.path(), fd.get()).ok());
  EXPECT_GT(guard.judged(), judged);
}

TEST_F(WriteGuardLookAgain, RefusesADeviceMountedSince) {
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  const Mounted mounted(loop_.path(), loop_.folder("/m"));
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  const auto verdict = again(loop_.path());
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict.error().cause, HasSubstr("mounted on " + loop_.folder("/m")));
}

TEST_F(WriteGuardLookAgain, RefusesAnotherDeviceUnderTheSameName) {
  const testing::LoopDevice other;
  ASSERT_TRUE(other.ok());
  const auto verdict = again(other.path());
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, ::testing::ContainsRegex("device 7:[0-9]+ before, 7:[0-9]+ now"));
}

TEST_F(WriteGuardLookAgain, RefusesAnotherDiskUnderTheSameNumber) {
  if (disk::identity_of(loop_.path())->disk_sequence == 0) GTEST_SKIP() << "this kernel does not number its disks";
  ASSERT_TRUE(loop_.attach_again());
  const auto verdict = again(loop_.path());
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, HasSubstr("replaced by another disk or medium"));
}

TEST_F(WriteGuardLookAgain, RefusesADeviceWhereAFileWas) {
  const base::system::UniqueFd fd(::open(loop_.path().c_str(), O_RDONLY));
  const auto verdict = guard_.look_again(loop_.folder("/was_a_file"), fd.get());
  ASSERT_FALSE(verdict.ok());
  EXPECT_THAT(verdict.error().cause, HasSubstr("not a block device before, a block device now"));
}

TEST_F(WriteGuardOnDevice, GuardUseRefusesUsesButNotContent) {
  const auto verdict = [&] { return guard_use(loop_.path()); };
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  EXPECT_TRUE(verdict().ok()) << "content alone is no use";
  {
    const base::system::UniqueFd claim(::open(loop_.path().c_str(), O_RDONLY | O_EXCL));
    ASSERT_FALSE(verdict().ok());
    EXPECT_THAT(verdict().error().cause, HasSubstr("held exclusively"));
  }
  const std::string point = loop_.folder("/mounted");
  const Mounted mounted(loop_.path(), point);
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  ASSERT_FALSE(verdict().ok());
  EXPECT_EQ(verdict().error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict().error().cause, HasSubstr("mounted on " + point));
}

TEST_F(WriteGuardOnDevice, ADeviceMapperHolderIsFound) {
  const std::string name = "fathom_test_" + std::to_string(::getpid());
  if (!shell("dmsetup create " + name + " --table '0 8192 linear " + loop_.path() + " 0'")) {
    GTEST_SKIP() << "no device-mapper here (dmsetup failed)";
  }
  const auto u = use();
  shell("dmsetup remove --retry " + name);
  ASSERT_EQ(u.holders.size(), 1u);
  EXPECT_THAT(u.holders[0], HasSubstr(name));
}

TEST_F(WriteGuardOnDevice, AnyNameOfTheDeviceAllowsIt) {
  ASSERT_TRUE(shell("mkswap " + loop_.path()));
  const std::string alias = loop_.folder("/by-id");
  std::filesystem::create_symlink(loop_.path(), alias);
  EXPECT_FALSE(refused({.allow_destructive = {alias}, .allow_mounted_write = false}));
  EXPECT_TRUE(refused({.allow_destructive = {"/dev/null", "/no/such"}, .allow_mounted_write = false}));
  EXPECT_EQ(guard_write(alias, {}).ok(), false);
  EXPECT_TRUE(guard_write(alias, {.allow_destructive = {loop_.path()}, .allow_mounted_write = false}).ok());
}

// A made-up /sys in which the number of /dev/null is that of an NVMe character device.
TEST(WriteGuardGenericDevice, AMountOfTheBlockDeviceIsFoundThroughItsCharacterDevice) {
  const testing::TempTree tree;
  tree.device("nvme77n1", "259:777");
  tree.link("/sys/dev/char/1:3", "../../devices/ng77n1");
  const base::system::UniqueFd fd(::open("/dev/null", O_RDWR));
  const WriteGuard guard({}, tree.root());
  EXPECT_TRUE(guard.look_again("/dev/ng77n1", fd.get()).ok());
  tree.file("/proc/self/mountinfo", "1 0 259:777 / /data rw - xfs /dev/nvme77n1 rw\n");
  const auto verdict = guard.look_again("/dev/ng77n1", fd.get());
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(verdict.error().cause, HasSubstr("mounted on /data"));
  EXPECT_THAT(verdict.error().help, HasSubstr("/dev/nvme77n1:mounted"));
}

// The kind of error that guard_write() gives to a user without any rights; -1 for none.
int kind_for_nobody(const std::string& path, const GuardOptions& options) {
  constexpr int kNoError = 100, kNotNobody = 101;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(kNotNobody);
    const auto verdict = guard_write(path, options);
    ::_exit(verdict.ok() ? kNoError : static_cast<int>(verdict.error().kind));
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WEXITSTATUS(status) == kNoError ? -1 : WEXITSTATUS(status);
}

TEST_F(WriteGuardOnDevice, AnUnreadableDeviceIsAPrivilegeError) {
  EXPECT_EQ(kind_for_nobody(loop_.path(), {}), static_cast<int>(base::ErrorKind::privilege));
}

TEST_F(WriteGuardOnDevice, AMountOfAnUnreadableDeviceIsRefused) {
  ASSERT_TRUE(shell("mkfs.ext4 -q " + loop_.path()));
  const Mounted mounted(loop_.path(), loop_.folder("/m"));
  if (!mounted.ok()) GTEST_SKIP() << "this process may not mount";
  EXPECT_EQ(kind_for_nobody(loop_.path(), {}), static_cast<int>(base::ErrorKind::refused));
  EXPECT_EQ(kind_for_nobody(loop_.path(), {.allow_destructive = {}, .allow_mounted_write = true}),
            static_cast<int>(base::ErrorKind::privilege));
}

TEST(WriteGuardPath, OnlyBlockDevicesAreGuarded) {
  EXPECT_TRUE(guard_write("/dev/null", {}).ok());
  EXPECT_TRUE(guard_write("/no/such/file", {}).ok());
  EXPECT_EQ(device_use("/dev/null").error().kind, base::ErrorKind::usage);
  EXPECT_EQ(device_use("/no/such/file").error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace fathom::host::guards
