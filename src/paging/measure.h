// One measurement: forks one or several measuring processes. Each joins the cgroup, maps, fills, warms up and touches
// memory with its threads, while the parent samples the kernel's counters. The results are in memory shared with the
// parent, so they survive a killed worker.
// Thread rule: the main thread, with no other thread that holds a lock across fork (cross-checks start their threads in
// on_start, after the fork).
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/cgroup_watch.h"
#include "paging/lately.h"
#include "paging/plan.h"
#include "paging/touchers.h"
#include "result/finding.h"
#include "result/paging.h"

namespace fathom::paging {

struct Progress {
  enum class Phase { mapping, filling, warming, measuring } phase = Phase::mapping;
  double done_share = 0;                             // of the phase
  double elapsed_s = 0;                              // of the measured window; before it: since the start
  std::uint64_t accesses = 0, minor = 0, major = 0;  // in the window so far
  OfLate late;
};

struct MeasureOptions {
  // For each measuring process, before it maps anything: joins the run's cgroup. An error ends the measurement.
  std::function<base::Expected<void>(int pid)> join;  // called in the PARENT for the stopped child; empty: no cgroup
  std::string cgroup_path;                            // for memory.stat, memory.pressure; "": no cgroup
  OutsideGroup outside;                               // for the error text about a killed process
  std::function<void(const Touchers&)> on_start;      // parent: just before the window begins
  // Just after the window has ended. majors: of the threads; of the whole machine if accesses are not classified.
  std::function<void(std::uint64_t majors)> on_end;
  std::function<void(const Progress&)> on_progress;  // parent, several times a second
  std::atomic<std::uint32_t>* stop = nullptr;        // > 0: end the window now and report what was measured
};

struct Measured {
  result::Paging paging;                  // without pressure, score, devices, table2: session and audit add them
  std::vector<result::Finding> findings;  // refused mlock, own faults, class totals that disagree, a killed worker
};
base::Expected<Measured> measure(const Plan& plan, const MeasureOptions& options);

}  // namespace fathom::paging
