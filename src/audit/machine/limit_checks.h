// Limits that a cgroup sets (a container's or a service's). A measurement under a limit depends on the limit and on the
// device.
#pragma once
#include <string>
#include <vector>

#include "host/cpu_quotas.h"
#include "host/io_limits.h"
#include "host/proc/proc_text.h"
#include "result/finding.h"

namespace fathom::audit::machine {

inline constexpr double kNearLimit = 0.9, kPastLimit = 1.2;  // of an I/O limit; a faster run was not limited by it
inline constexpr double kStoppedShare = 0.01;                // of the run's time; above it, a warning

inline constexpr double kStolenShare = 0.01;            // of the CPU time; no finding up to this
inline constexpr std::uint64_t kFewestStolenTicks = 2;  // one tick may be the kernel's rounding

struct SeenLimit {
  host::IoLimit limit;
  bool at_begin = true, at_end = true, throughout = true;  // throughout: at each look, one per second
  bool is_of_all() const { return at_begin && at_end && throughout; }
};

// Sums over all jobs; [read, write].
struct Achieved {
  double bytes_per_s[2] = {}, iops[2] = {};
};

// cpu.max: for each quota that stopped tasks during the run. io.limit: for each active limit on the run's disks. It
// is a warning if the run came near the limit (kNearLimit), or if the limit was not active during the whole run.
// run_ns: duration of the run.
std::vector<result::Finding> limit_findings(const std::vector<host::CpuQuota>& stopped,
                                            const std::vector<SeenLimit>& io_limits, double run_ns,
                                            const Achieved& achieved = {});

// cpu.steal: CPU time between two readings that the hypervisor gave to other guests.
std::vector<result::Finding> steal_findings(const host::proc::CpuTimes& before, const host::proc::CpuTimes& after);

}  // namespace fathom::audit::machine
