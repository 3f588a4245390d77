// A loop device over a sparse file, for tests that need a real block device. Needs root; skip_reason() says why there
// is none.
#pragma once
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/system/fd.h"
#include "host/temp_tree.h"

namespace fathom::host::testing {

class LoopDevice {
 public:
  static constexpr std::uint64_t kBytes = 64 << 20;

  LoopDevice() : file_(folder_.path("/disk")) {
    folder_.file("/disk", "");
    std::filesystem::resize_file(file_, kBytes);
    attach();
  }
  // Over a file of the caller's, from `offset` to its end.
  LoopDevice(std::string file, std::uint64_t offset) : file_(std::move(file)) {
    attach();
    struct loop_info64 info {};
    info.lo_offset = offset;
    if (ok() && ::ioctl(fd_.get(), LOOP_SET_STATUS64, &info) != 0) fail("LOOP_SET_STATUS64");
  }
  ~LoopDevice() {
    if (fd_) ::ioctl(fd_.get(), LOOP_CLR_FD);
  }
  bool ok() const { return reason_.empty(); }
  const std::string& skip_reason() const { return reason_; }
  const std::string& path() const { return device_; }
  const std::string& file() const { return file_; }
  std::string folder(std::string_view name) const { return folder_.path(name); }
  void put(std::uint64_t offset, std::string_view bytes) const {
    if (::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) < 0) ::perror("pwrite");
    ::fsync(fd_.get());
  }
  // A partition that the kernel holds, from start to the end, whatever lies on the disk (as partx makes one, or a table
  // that was there once).
  bool hold_partition(int number, std::int64_t start) const {
    struct loop_info64 info {};
    if (::ioctl(fd_.get(), LOOP_GET_STATUS64, &info) != 0) return false;
    info.lo_flags |= LO_FLAGS_PARTSCAN;
    if (::ioctl(fd_.get(), LOOP_SET_STATUS64, &info) != 0) return false;
    return partition(BLKPG_ADD_PARTITION, number, start, static_cast<std::int64_t>(kBytes) - start);
  }
  bool forget_partition(int number) const { return partition(BLKPG_DEL_PARTITION, number, 0, 0); }
  // Takes the medium out and puts it in again: the same number, another disk.
  bool attach_again() {
    const base::system::UniqueFd backing(::open(file_.c_str(), O_RDWR | O_CLOEXEC));
    ::ioctl(fd_.get(), LOOP_CLR_FD);
    fd_ = base::system::UniqueFd();
    for (int tries = 0; tries < 50; ++tries) {  // until the last that has it open has let it go
      fd_ = base::system::UniqueFd(::open(device_.c_str(), O_RDWR | O_CLOEXEC));
      if (fd_ && ::ioctl(fd_.get(), LOOP_SET_FD, backing.get()) == 0) return true;
      fd_ = base::system::UniqueFd();
      ::usleep(10000);
    }
    return false;
  }

 private:
  bool partition(int how, int number, std::int64_t start, std::int64_t length) const {
    struct blkpg_partition what {};
    what.pno = number;
    what.start = start;
    what.length = length;
    struct blkpg_ioctl_arg request {
      how, 0, sizeof what, &what
    };
    return ::ioctl(fd_.get(), BLKPG, &request) == 0;
  }
  void attach() {
    const base::system::UniqueFd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
    const base::system::UniqueFd backing(::open(file_.c_str(), O_RDWR | O_CLOEXEC));
    if (!control || !backing) return fail("/dev/loop-control");
    for (int tries = 0; tries < 50; ++tries) {  // another process may take the number we were told
      const int n = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
      if (n < 0) return fail("no free loop device");
      device_ = "/dev/loop" + std::to_string(n);
      base::system::UniqueFd device(::open(device_.c_str(), O_RDWR | O_CLOEXEC));
      if (device && ::ioctl(device.get(), LOOP_SET_FD, backing.get()) == 0) {
        fd_ = std::move(device);
        return;
      }
      ::usleep(10000);
    }
    fail(device_);
  }
  void fail(const std::string& what) { reason_ = "no loop device here: " + what + ": " + std::strerror(errno); }

  TempTree folder_;
  std::string file_, device_, reason_;
  base::system::UniqueFd fd_;
};

}  // namespace fathom::host::testing
