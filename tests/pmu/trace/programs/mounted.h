// A file system of its own on a loop device over a sparse file, for as long as the test runs. skip_reason() says why
// there is none.
#pragma once
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "base/system/subprocess.h"
#include "host/loop_device.h"
#include "host/temp_tree.h"

namespace fathom::pmu::trace::programs::testing {

class Mounted {
 public:
  explicit Mounted(const std::string& type) : device_(disk(), 0) {
    if (!device_.ok()) {
      reason_ = device_.skip_reason();
      return;
    }
    auto made = base::system::Subprocess::hold({"mkfs." + type, "-q", device_.path()},
                                               base::system::Subprocess::Orphan::killed);
    if (!made || made->let_go() != 0 || made->wait(-1)->status != 0) {
      reason_ = "no mkfs." + type;
      return;
    }
    tree_.folder("/at");
    if (::mount(device_.path().c_str(), at().c_str(), type.c_str(), 0, nullptr) != 0)
      reason_ = "mount " + type + ": " + std::strerror(errno);
    mounted_ = reason_.empty();
  }
  ~Mounted() {
    if (mounted_) ::umount2(at().c_str(), MNT_DETACH);
  }
  Mounted(const Mounted&) = delete;
  bool ok() const { return reason_.empty(); }
  const std::string& skip_reason() const { return reason_; }
  std::string at() const { return tree_.path("/at"); }

 private:
  static constexpr std::uint64_t kBytes = 512 << 20;  // the least of xfs is 300 MiB
  std::string disk() const {
    tree_.file("/disk", "");
    std::filesystem::resize_file(tree_.path("/disk"), kBytes);
    return tree_.path("/disk");
  }
  host::testing::TempTree tree_;
  host::testing::LoopDevice device_;
  std::string reason_;
  bool mounted_ = false;
};

}  // namespace fathom::pmu::trace::programs::testing
