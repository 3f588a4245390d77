// I/O limits of cgroups: the kernel may throttle a bio for them before the block layer sees it. Covers the groups of
// this process and all visible groups above them (host/own_groups.h). Weights (io.weight, io.cost) are no limits and
// are not read: they have no effect while no other group waits, and their files do not show which group they delay. A
// limit applies to a whole disk, and only to I/O queued to that disk itself: the caller names the disks. Source:
// admin-guide/cgroup-v1/blkio-controller.rst, admin-guide/cgroup-v2.rst (io.max, io.latency). Thread-safe.
#pragma once
#include <string>
#include <vector>

namespace fathom::host {

// One file of one group. If it has several lines, the rates are the minimum; 0: none.
struct IoLimit {
  std::string text;  // "blkio.throttle.read_iops_device of /database: 253:0 500", its lines joined by "; "
  double bytes_per_s[2] = {}, iops[2] = {};  // reads, writes
  bool operator==(const IoLimit&) const = default;
};
// further: names of groups below the mounts that this process is not in (a job's cgroup=). disks: the limited disks, as
// "253:0"; empty: any disk. `prefix` precedes /proc and the mounts, for tests.
std::vector<IoLimit> io_limits(const std::vector<std::string>& further = {}, const std::vector<std::string>& disks = {},
                               const std::string& prefix = "");

}  // namespace fathom::host
