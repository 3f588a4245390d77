// --idle-prof: the idle part of each CPU's time. One thread per CPU, of the scheduling class that runs only when
// nothing else does (SCHED_IDLE), does small units of work. Its CPU time is the CPU's idle time.
// fio counts the units and multiplies by the time of a unit measured before. The thread's CPU clock needs no such
// estimate, and stays correct when a neighbor on the core makes units slower. The unit is still timed and reported, as
// in fio: it shows the speed of the machine's CPUs for a fixed piece of work.
// An idle CPU is busy for its power management with this option: do not compare numbers of runs with and without it.
// Source: fio(1), --idle-prof; sched(7). Thread rule: one thread creates it, begins and ends it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "result/result.h"

namespace fathom::run::process {

// One unit of work: a fixed number of multiplications, some microseconds on any current machine. The value prevents the
// compiler from removing it.
std::uint64_t idle_unit(std::uint64_t seed);

class IdleProfile {
 public:
  // Starts one thread on each CPU and times its units. Throws nothing: a CPU is omitted if its thread cannot start.
  explicit IdleProfile(std::span<const unsigned> cpus);
  ~IdleProfile();
  IdleProfile(const IdleProfile&) = delete;

  void begin();
  // Idle time since begin(). `each`: percpu.
  result::CpuIdleness end(bool each);
  // Only the time of a unit: mean and standard deviation.
  result::CpuIdleness calibrated() const;

 private:
  struct Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t begin_ns_ = 0;
};

}  // namespace fathom::run::process
