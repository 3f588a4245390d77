// --idle-prof: how much of each CPU's time nobody wanted. A thread a CPU of the scheduling class that runs when nothing
// else does (SCHED_IDLE) does small units of work; what CPU time it got is what was idle. fio counts the units and
// multiplies by what one took beforehand; the thread's own CPU clock says the same without that estimate, also where a
// neighbour on the core makes units slower. The unit is timed all the same and reported, as fio does: it shows what the
// machine's CPUs do in a fixed piece of work. A CPU that idles for the kernel is busy for its power management: numbers
// of a run with this option are not to be compared with numbers without it. Source: fio(1), --idle-prof; sched(7).
// Thread rule: one thread makes it, begins and ends it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "result/result.h"

namespace fathom::run::process {

// One unit of work, some microseconds on any machine of today: a fixed number of multiplications. The value is there so
// that it cannot be left out.
std::uint64_t idle_unit(std::uint64_t seed);

class IdleProfile {
 public:
  // Starts the threads, each on its CPU, and times their units; throws nothing: a CPU that takes no thread has none.
  explicit IdleProfile(std::span<const unsigned> cpus);
  ~IdleProfile();
  IdleProfile(const IdleProfile&) = delete;

  void begin();
  // Since begin(). `each`: percpu.
  result::CpuIdleness end(bool each);
  // What the units took: the unit's mean and deviation alone.
  result::CpuIdleness calibrated() const;

 private:
  struct Worker;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::uint64_t begin_ns_ = 0;
};

}  // namespace fathom::run::process
