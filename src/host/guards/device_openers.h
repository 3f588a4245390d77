// Processes that have a block device open, from the descriptors in /proc. The kernel reports that a device is claimed,
// but not by which process, and reports nothing about a device that is merely open for writing. The result has only
// visible descriptors: memory mapped from a device after its descriptor was closed, and files registered with io_uring,
// are not among them. Reading the descriptors of other users' processes needs root; the result includes the number of
// unreadable processes. Source: proc(5), /proc/PID/fd and fdinfo. Thread-safe.
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
  std::size_t unreadable = 0;  // processes with descriptors that may not be read
  bool looked = false;         // false: /proc shows no process at all
};

// Scans every process but `own`. A device that one process has open for reading and for writing appears once, as
// writing.
Openers find_openers(pid_t own, const std::string& prefix = "");
// Scans these processes only: for a few processes the cost is negligible.
Openers openers_among(std::span<const pid_t> pids, const std::string& prefix = "");

}  // namespace fathom::host::guards
