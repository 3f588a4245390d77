// Limits of I/O that cgroups set: what the kernel may hold a bio for before the block layer sees it. Looked for in the
// groups of this process and all above them that it can see (host/own_groups.h). Weights (io.weight, io.cost) are no limits and are not looked at: they hold nobody where nobody else waits, and
// whom they hold cannot be told from their files. A limit is of a whole disk, and holds what is queued to that disk alone:
// the caller says of which disks it wants to know.
// Source: admin-guide/cgroup-v1/blkio-controller.rst, admin-guide/cgroup-v2.rst (io.max, io.latency). Thread-safe.
#pragma once
#include <string>
#include <vector>

namespace fathom::host {

// One file of one group. Of several lines of it the least rates; 0: none.
struct IoLimit {
  std::string text;  // "blkio.throttle.read_iops_device of /database: 253:0 500", its lines joined by "; "
  double bytes_per_s[2] = {}, iops[2] = {};  // reads, writes
  bool operator==(const IoLimit&) const = default;
};
// further: names of groups
// below the mounts that this process is not in (a job's cgroup=). disks: whose limits, as "253:0"; none: of any. `prefix`
// stands before /proc and the mounts, for tests.
std::vector<IoLimit> io_limits(const std::vector<std::string>& further = {}, const std::vector<std::string>& disks = {},
                               const std::string& prefix = "");

}  // namespace fathom::host
