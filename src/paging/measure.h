// One measurement: forks the measuring process (or several), which joins the cgroup, maps, fills, warms up and touches
// memory with its threads while the parent samples what the kernel counts; what was measured lies in memory shared with
// the parent, so that it survives a worker that is killed. Thread rule: the main thread, with no other thread that
// holds a lock across fork (witnesses' threads are begun in on_start, after it).
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
  double elapsed_s = 0;                              // of the measured window, or since all began
  std::uint64_t accesses = 0, minor = 0, major = 0;  // in the window so far
  OfLate late;
};

struct MeasureOptions {
  // Called in each measuring process, before it maps anything: joins the run's cgroup. Returns an error to give up.
  std::function<base::Expected<void>(int pid)> join;  // called in the PARENT for the stopped child; empty: no cgroup
  std::string cgroup_path;                            // for memory.stat, memory.pressure; "": none
  OutsideGroup outside;                               // for what is said of a killed process
  std::function<void(const Touchers&)> on_start;      // parent: just before the window begins
  // Just after it has ended; majors: of the threads, or of the whole machine where they are not classified.
  std::function<void(std::uint64_t majors)> on_end;
  std::function<void(const Progress&)> on_progress;  // parent, some times a second
  std::atomic<std::uint32_t>* stop = nullptr;        // > 0: end the window now, report what there is
};

struct Measured {
  result::Paging paging;                  // without pressure, score, devices, table2: cli and audit add them
  std::vector<result::Finding> findings;  // refused mlock, own faults, class totals that disagree, a killed worker
};
base::Expected<Measured> measure(const Plan& plan, const MeasureOptions& options);

}  // namespace fathom::paging
