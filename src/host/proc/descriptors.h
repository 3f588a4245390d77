// What a process has open, by its descriptors in /proc/PID/fd: block devices, files and folders. A descriptor is never
// opened, and its file system is never asked: one on a server that does not answer holds nobody up. Only what is seen
// is told: memory that is mapped from a file whose descriptor was closed, and files registered with io_uring, are no
// descriptors. Source: proc(5), /proc/PID/fd and fdinfo. Thread-safe.
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
  dev_t device = 0;         // a block device itself; of anything else what it lies on
  bool mount_root = false;  // a folder where something is mounted
  std::string fdinfo;       // path

  bool is_device() const { return S_ISBLK(type); }
  // As open(2) has them, now: O_EXCL is forgotten by the kernel. Nothing: closed meanwhile, or opened with O_PATH,
  // which is no use of what it leads to.
  std::optional<int> flags() const;
};

// Each descriptor of a process (folder: "/proc/4711") that has a path, no more than `most`. False where the process's
// descriptors may not be read; one that has ended has none, one of which threads are left has theirs.
bool each_descriptor(const std::string& folder, std::size_t most, const std::function<void(const Descriptor&)>& take);

}  // namespace fathom::host::proc
