// CPU time limits of cgroups (a container's --cpus, Kubernetes' limits.cpu). A group has a quota for each period,
// usually 100 ms. When the quota is used up, the kernel stops all tasks of the group until the next period, even in the
// middle of an I/O. The kernel counts the stops and their duration. Shares and weights are not limits: they have no
// effect while no other group waits. Source: scheduler/sched-bwc.rst, admin-guide/cgroup-v2.rst (cpu.max, cpu.stat).
// Thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::host {

struct CpuQuota {
  std::string limit;                        // "cpu.max of /database: 50000 100000"
  double cpus = 0;                          // CPUs that may be used at a time, on average
  std::uint64_t times = 0, stopped_ns = 0;  // since the group was made; of all CPUs together
  bool operator==(const CpuQuota&) const = default;
};

// Quotas of this process's groups and of the groups above (host/own_groups.h). further, prefix: as there.
std::vector<CpuQuota> cpu_quotas(const std::vector<std::string>& further = {}, const std::string& prefix = "");
// The increase from `before` to `after`. A quota that `before` lacks (by `limit`) counts in full, since the group was
// made.
std::vector<CpuQuota> added(const std::vector<CpuQuota>& before, std::vector<CpuQuota> after);

}  // namespace fathom::host
