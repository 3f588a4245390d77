// Limits that a cgroup sets (a container's, a service's): what was measured under one is the limit's as well as the device's.
#pragma once
#include <string>
#include <vector>

#include "host/cpu_quotas.h"
#include "host/io_limits.h"
#include "host/proc/proc_text.h"
#include "result/finding.h"

namespace fathom::audit::machine {

inline constexpr double kNearLimit = 0.9, kPastLimit = 1.2;  // of an I/O limit; what is faster did not meet it
inline constexpr double kStoppedShare = 0.01;                // of the run's time; more is a warning

inline constexpr double kStolenShare = 0.01;            // of the CPU time; a run with less has no finding
inline constexpr std::uint64_t kFewestStolenTicks = 2;  // one may be the kernel's rounding

struct SeenLimit {
  host::IoLimit limit;
  bool at_begin = true, at_end = true;
  bool is_of_all() const { return at_begin && at_end; }
};

// Of all jobs together; read, write.
struct Achieved {
  double bytes_per_s[2] = {}, iops[2] = {};
};

// cpu.max: of quotas under which tasks were stopped while it ran. io.limit: of each limit in force on the run's disks; one
// that the run came near (kNearLimit) is a warning, and so is one that was not there all the time. run_ns: how long it was.
std::vector<result::Finding> limit_findings(const std::vector<host::CpuQuota>& stopped,
                                            const std::vector<SeenLimit>& io_limits, double run_ns,
                                            const Achieved& achieved = {});

// cpu.steal: CPU time between two readings that the hypervisor gave to others.
std::vector<result::Finding> steal_findings(const host::proc::CpuTimes& before, const host::proc::CpuTimes& after);

}  // namespace fathom::audit::machine
