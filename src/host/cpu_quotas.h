// Limits of CPU time that cgroups set (a container's --cpus, Kubernetes' limits.cpu): in each period, usually 100 ms, a
// group has so much, and when it is used up all of its tasks are stopped until the next, also in the middle of an I/O.
// How often and for how long that was the kernel counts. Shares and weights are no limits: they hold nobody where nobody
// else waits.
// Source: scheduler/sched-bwc.rst, admin-guide/cgroup-v2.rst (cpu.max, cpu.stat). Thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::host {

struct CpuQuota {
  std::string limit;                        // "cpu.max of /database: 50000 100000"
  double cpus = 0;                          // so many may be used at a time on average
  std::uint64_t times = 0, stopped_ns = 0;  // since the group was made; of all CPUs together
  bool operator==(const CpuQuota&) const = default;
};

// Of the groups of this process and those above (host/own_groups.h). further, prefix: as there.
std::vector<CpuQuota> cpu_quotas(const std::vector<std::string>& further = {}, const std::string& prefix = "");
// What was added from `before` to `after`; a quota that was set meanwhile counts from its beginning on.
std::vector<CpuQuota> added(const std::vector<CpuQuota>& before, std::vector<CpuQuota> after);

}  // namespace fathom::host
