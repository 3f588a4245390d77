// The path is taken only where permissions hide the device from us (EACCES). In a container, where the device's node is
// missing or forbidden (ENOENT, EPERM), the path is the host's, and a file of that name here is another one.
#include "host/loop_backing.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "base/fd.h"
#include "host/text_file.h"

namespace fathom::host {
namespace {

// The driver packs a device number as the kernel does for users (12 and 20 bits, minor split), which is dev_t's layout
// of the C library for all numbers that fit in 32 bits.
void ask_driver(int fd, LoopBacking& backing) {
  struct loop_info64 info {};
  if (::ioctl(fd, LOOP_GET_STATUS64, &info) != 0) return;
  backing.device = static_cast<dev_t>(info.lo_device);
  backing.inode = static_cast<ino_t>(info.lo_inode);
}

void follow_path(LoopBacking& backing) {
  struct stat st {};
  if (::stat(backing.path.c_str(), &st) != 0) return;
  backing.device = st.st_dev;
  backing.inode = st.st_ino;
}

}  // namespace

std::vector<LoopBacking> loop_backings() {
  std::vector<LoopBacking> all;
  const std::string folder = "/sys/block/";
  for (const auto& name : list_names(folder)) {
    if (!name.starts_with("loop")) continue;
    LoopBacking backing{name, read_line(folder + name + "/loop/backing_file"), 0, 0};
    if (backing.path.empty()) continue;
    const base::UniqueFd fd(::open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd)
      ask_driver(fd.get(), backing);
    else if (errno == EACCES)
      follow_path(backing);
    all.push_back(std::move(backing));
  }
  return all;
}

}  // namespace fathom::host
