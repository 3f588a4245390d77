// The open descriptors of a process, from /proc/PID/fd: block devices, files and directories. It opens no descriptor
// and sends no request to a file system, so a server that does not answer blocks nothing. Only visible descriptors are
// reported: memory mapped from a file after its descriptor was closed, and files registered with io_uring, are not
// among them. Source: proc(5), /proc/PID/fd and fdinfo. Thread-safe.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace fathom::host::proc {

struct Descriptor {
  mode_t type = 0;          // S_IFBLK, S_IFREG, S_IFDIR ... (st_mode & S_IFMT)
  dev_t device = 0;         // number of a block device; for others the device that holds it
  bool mount_root = false;  // a directory that is a mount point
  std::string fdinfo;       // path of the file

  bool is_device() const { return S_ISBLK(type); }
  // Current flags as in open(2), but the kernel does not keep O_EXCL. nullopt: closed in the meantime, or opened with
  // O_PATH, which is no use of the file.
  std::optional<int> flags() const;
};

// Calls `take` for each descriptor with a path of a process (folder: "/proc/4711"), `most` at most. False: the
// descriptors may not be read. An ended process has no descriptors; if its threads still run, theirs are used.
bool each_descriptor(const std::string& folder, std::size_t most, const std::function<void(const Descriptor&)>& take);

}  // namespace fathom::host::proc
