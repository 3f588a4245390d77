// What bounded a run's jobs, or its accesses to memory: limits of cgroups (whether tasks were stopped for their CPU time, which limits of I/O were in force
// at its begin or its end), and CPU time that the hypervisor took. Thread rule: the main thread.
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
  Limits() = default;  // of CPU time alone
  Limits(std::span<const run::files::Plan> plans, const std::vector<host::placement::Placement>& targets);
  void begin();  // the workers are about to start
  void end();    // the last has ended
  // Of what the run has done under them.
  std::vector<result::Finding> findings(const result::Run& run) const;

 private:
  std::vector<host::IoLimit> io_limits_now() const;
  std::vector<std::string> groups_, disks_;  // groups of jobs' cgroup=
  std::vector<audit::machine::SeenLimit> io_limits_;
  bool any_disk_ = false;
  std::vector<host::CpuQuota> before_, after_;
  host::proc::CpuTimes cpus_before_, cpus_after_;
  std::uint64_t began_ns_ = 0, ended_ns_ = 0;
};

}  // namespace fathom::session::jobs
