// Which processes have a block device open, by the descriptors that /proc shows: the kernel says of a device that it is
// claimed, not by whom, and of one that is merely open for writing nothing at all. Only what is seen is told: memory
// that is mapped from a device whose descriptor was closed, and files registered with io_uring, are not descriptors.
// Reading the descriptors of other users' processes needs root; how many could not be looked at is part of the answer.
// Source: proc(5), /proc/PID/fd and fdinfo. Thread-safe.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fathom::host::guards {

struct Opener {
  dev_t device = 0;
  pid_t pid = 0;
  std::string name;  // /proc/PID/comm
  bool writes = false;
};

struct Openers {
  std::vector<Opener> found;   // one for each process and device
  std::size_t unreadable = 0;  // processes whose descriptors may not be read
  bool looked = false;         // false: /proc shows no process at all
};

// Of every process but `own`. A device that appears in one process for reading and for writing is there once, writing.
Openers find_openers(pid_t own, const std::string& prefix = "");
// Of these processes alone: of a few, a look costs next to nothing.
Openers openers_among(std::span<const pid_t> pids, const std::string& prefix = "");

}  // namespace fathom::host::guards
