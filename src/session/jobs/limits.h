// Limits of cgroups under which a run's jobs, or accesses to memory, were: whether tasks were stopped for their CPU time, and which limits of I/O
// were in force at its begin or its end. Thread rule: the main thread.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/cpu_quotas.h"
#include "host/placement/placement.h"
#include "result/finding.h"
#include "run/runner.h"

namespace fathom::session::jobs {

class Limits {
 public:
  Limits() = default;  // of CPU time alone
  Limits(std::span<const run::files::Plan> plans, const std::vector<host::placement::Placement>& targets);
  void begin();  // the workers are about to start
  void end();    // the last has ended
  std::vector<result::Finding> findings() const;

 private:
  void look_for_io_limits();
  std::vector<std::string> groups_, disks_, io_limits_;  // groups of jobs' cgroup=
  bool any_disk_ = false;
  std::vector<host::CpuQuota> before_, after_;
  std::uint64_t began_ns_ = 0, ended_ns_ = 0;
};

}  // namespace fathom::session::jobs
