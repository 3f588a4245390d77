// Descriptors of other processes: read from a made-up /proc whose links lead to a real block device.
#include "host/guards/device_openers.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/system/fd.h"
#include "host/guards/surroundings.h"
#include "host/proc/text_file.h"
#include "host/temp_tree.h"

namespace fathom::host::guards {
namespace {

// Any block device of this machine; it is not opened.
std::string some_device() {
  for (const auto& name : proc::list_names("/sys/class/block")) {
    struct stat st {};
    if (::stat(("/dev/" + name).c_str(), &st) == 0 && S_ISBLK(st.st_mode)) return "/dev/" + name;
  }
  return {};
}

class DeviceOpeners : public ::testing::Test {
 protected:
  void SetUp() override {
    if (device_.empty()) GTEST_SKIP() << "no block device here";
  }
  void open_in(int pid, int fd, const std::string& target, const std::string& flags) const {
    const std::string process = "/proc/" + std::to_string(pid);
    tree_.file(process + "/comm", "prog" + std::to_string(pid) + "\n");
    tree_.link(process + "/fd/" + std::to_string(fd), target);
    tree_.file(process + "/fdinfo/" + std::to_string(fd), "pos:\t0\nflags:\t" + flags + "\nmnt_id:\t30\n");
  }
  Openers find() const { return find_openers(1, tree_.root()); }
  testing::TempTree tree_;
  const std::string device_ = some_device();
};

TEST_F(DeviceOpeners, WritersAndReadersOfDevicesAreListed) {
  open_in(10, 3, device_, "0100000");  // O_RDONLY | O_LARGEFILE
  open_in(11, 3, device_, "0100001");  // O_WRONLY
  open_in(12, 3, device_, "0100000");
  open_in(12, 4, device_, "0140002");      // O_RDWR | O_DIRECT
  open_in(13, 3, device_, "012000000");    // O_PATH: no use of the device
  open_in(14, 3, "/dev/null", "0100002");  // not a block device
  open_in(15, 3, "socket:[4711]", "02");
  open_in(16, 3, "/no/such/file", "02");
  open_in(1, 3, device_, "02");  // this process
  tree_.file("/proc/version", "");
  const auto openers = find();
  EXPECT_TRUE(openers.looked);
  EXPECT_EQ(openers.unreadable, 0u);
  ASSERT_EQ(openers.found.size(), 3u);
  EXPECT_EQ(openers.found[0].pid, 10);
  EXPECT_FALSE(openers.found[0].writes);
  EXPECT_EQ(openers.found[1].name, "prog11");
  EXPECT_TRUE(openers.found[1].writes);
  EXPECT_TRUE(openers.found[2].writes);
}

TEST_F(DeviceOpeners, UnreadableProcessesAreCounted) {
  open_in(10, 3, device_, "0100002");
  open_in(11, 3, device_, "0100002");
  std::filesystem::permissions(tree_.root(), std::filesystem::perms(0755));
  std::filesystem::permissions(tree_.path("/proc/10/fd"), std::filesystem::perms::none);
  const pid_t child = ::fork();
  if (child == 0) {  // root reads everything
    constexpr int kNobody = 65534;
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(100);
    const auto openers = find();
    ::_exit(static_cast<int>(openers.unreadable * 10 + openers.found.size()));
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 11) << "one that may not be read, and one that may";
  std::filesystem::permissions(tree_.path("/proc/10/fd"), std::filesystem::perms(0755));
}

TEST_F(DeviceOpeners, OpenersAmongLooksAtTheGivenProcessesOnly) {
  open_in(10, 3, device_, "0100002");
  open_in(11, 3, device_, "0100002");
  const pid_t only[] = {11, 12};
  const auto openers = openers_among(only, tree_.root());
  ASSERT_EQ(openers.found.size(), 1u);
  EXPECT_EQ(openers.found[0].pid, 11);
}

// Opens of a process's folder of descriptors, counted by inotify(7). The kernel makes one of two equal events in a row;
// so the closes in between are asked for as well.
class Opens {
 public:
  explicit Opens(const std::string& folder) : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(fd_.get(), folder.c_str(), IN_OPEN | IN_CLOSE), 0);
  }
  int count() const {
    int opens = 0;
    alignas(inotify_event) char events[4096];
    for (ssize_t n = 0; (n = ::read(fd_.get(), events, sizeof events)) > 0;)
      for (ssize_t at = 0; at < n;) {
        const auto* one = reinterpret_cast<const inotify_event*>(events + at);
        opens += one->len == 0 && (one->mask & IN_OPEN) != 0 ? 1 : 0;  // of the folder itself
        at += static_cast<ssize_t>(sizeof(inotify_event) + one->len);
      }
    return opens;
  }

 private:
  base::system::UniqueFd fd_;
};

TEST_F(DeviceOpeners, ASecondLookReadsOnlyTheOpenersFound) {
  open_in(10, 3, device_, "0100002");
  open_in(11, 3, "/dev/null", "0100002");
  struct stat st {};
  ASSERT_EQ(::stat(device_.c_str(), &st), 0);
  const Opens writer(tree_.path("/proc/10/fd")), other(tree_.path("/proc/11/fd"));
  Surroundings around(tree_.root());
  EXPECT_EQ(around.writers_of(st.st_rdev), std::vector<std::string>{"prog10 (pid 10)"});
  EXPECT_EQ(writer.count(), 21) << "it still has it after a second";
  EXPECT_EQ(other.count(), 1);
}

TEST_F(DeviceOpeners, TheRelationToThisProcessIsNamed) {
  const auto process = [&](int pid, const std::string& name, int parent, int group, int session) {
    tree_.file("/proc/" + name + "/stat", std::to_string(pid) + " (a (b) c) S " + std::to_string(parent) + " " +
                                              std::to_string(group) + " " + std::to_string(session) + " 0 0 0 0");
  };
  process(50, "self", 40, 50, 30);
  process(40, "40", 30, 40, 30);
  process(30, "30", 1, 30, 30);
  process(51, "51", 40, 50, 30);
  process(60, "60", 30, 60, 30);
  process(70, "70", 1, 70, 70);
  const std::pair<int, const char*> kin[] = {{30, ", which started this command"},
                                             {40, ", which started this command"},
                                             {51, ", in the same process group"},
                                             {60, ", in the same session"},
                                             {70, ""},
                                             {80, ""}};
  std::vector<std::string> expected;
  for (const auto& [pid, what] : kin) {
    open_in(pid, 3, device_, "0100002");
    expected.push_back("prog" + std::to_string(pid) + " (pid " + std::to_string(pid) + what + ")");
  }
  struct stat st {};
  ASSERT_EQ(::stat(device_.c_str(), &st), 0);
  EXPECT_EQ(Surroundings(tree_.root()).openers_of(st.st_rdev), expected);
}

TEST_F(DeviceOpeners, WithoutProcNothingWasLookedAt) { EXPECT_FALSE(find().looked); }

}  // namespace
}  // namespace fathom::host::guards
