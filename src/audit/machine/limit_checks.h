// Limits that a cgroup sets (a container's, a service's): what was measured under one is the limit's as well as the device's.
#pragma once
#include <string>
#include <vector>

#include "host/cpu_quotas.h"
#include "result/finding.h"

namespace fathom::audit::machine {

inline constexpr double kStoppedShare = 0.01;  // of the run's time; more is a warning

// cpu.max: of quotas under which tasks were stopped while it ran. io.limit: of each limit in force on the run's disks.
// run_ns: how long it was.
std::vector<result::Finding> limit_findings(const std::vector<host::CpuQuota>& stopped,
                                            const std::vector<std::string>& io_limits, double run_ns);

}  // namespace fathom::audit::machine
