// A zram device of a test's own, taken away at its end. Without root or zram: path() is empty. Whoever looks into all
// block devices (blkid, udev) opens it for an instant, and then it cannot be removed: tried again, and a failure said.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/system/fd.h"

namespace fathom::testing {

class ZramDevice {
 public:
  explicit ZramDevice(const std::string& size) {
    std::ifstream control("/sys/class/zram-control/hot_add");
    if (!(control >> number_)) return;
    std::ofstream(folder() + "/disksize") << size << std::flush;
    if (::access(("/dev/" + name()).c_str(), R_OK | W_OK) == 0) path_ = "/dev/" + name();
  }
  ~ZramDevice() {
    if (number_ < 0) return;
    bool gone = false;
    for (int tries = 0; tries < 500 && !gone; ++tries) {
      write(folder() + "/reset", "1");
      gone = write("/sys/class/zram-control/hot_remove", std::to_string(number_));
      if (!gone) ::usleep(10'000);
    }
    EXPECT_TRUE(gone) << name() << " is left behind";
  }
  ZramDevice(const ZramDevice&) = delete;
  std::string name() const { return "zram" + std::to_string(number_); }
  const std::string& path() const { return path_; }

 private:
  static bool write(const std::string& path, const std::string& text) {
    const base::system::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
  }
  std::string folder() const { return "/sys/block/" + name(); }
  int number_ = -1;
  std::string path_;
};

}  // namespace fathom::testing
