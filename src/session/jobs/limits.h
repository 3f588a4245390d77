// Limits that were active for a run's jobs, or for its memory accesses: CPU limits of cgroups that throttled tasks, and
// CPU time that the hypervisor took. Also I/O limits that were active at the begin, at the end, or at a look between.
// Thread rule: the main thread.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "audit/machine/limit_checks.h"
#include "host/cpu_quotas.h"
#include "host/io_limits.h"
#include "host/placement/placement.h"
#include "result/result.h"
#include "run/runner.h"

namespace fathom::session::jobs {

class Limits {
 public:
  Limits() = default;  // CPU time only
  Limits(std::span<const run::files::Plan> plans, const std::vector<host::placement::Placement>& targets);
  void begin();  // call before the workers start
  void look();   // call while they run: a limit may exist for a part of the time
  void end();    // call after the last worker has ended
  // For a run under these limits.
  std::vector<result::Finding> findings(const result::Run& run) const;

 private:
  enum class Moment : std::uint8_t { begin, between, end };
  void see_io_limits(Moment moment);
  std::vector<std::string> groups_, disks_;  // groups_: from the jobs' cgroup=
  std::vector<audit::machine::SeenLimit> io_limits_;
  bool any_disk_ = false;
  std::vector<host::CpuQuota> before_, after_;
  host::proc::CpuTimes cpus_before_, cpus_after_;
  std::uint64_t began_ns_ = 0, ended_ns_ = 0;
};

}  // namespace fathom::session::jobs
