// Sets up and restores memory pressure. Every change is written to a journal before it is made (journal.h). However the
// program ends, this run or the next start undoes it. Thread rule: the main thread.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/cgroup_watch.h"
#include "paging/plan.h"
#include "result/finding.h"
#include "result/paging.h"

namespace fathom::paging::pressure {

// Whether the set fits into what the limit and the swap leave, with the arithmetic; before anything is changed.
// Includes own_bytes() (fit.h): what the measuring side itself needs.
base::Expected<void> check_fit(const Plan& plan, const PressurePlan& pressure);
// Sets that fit but do not page as expected: huge pages are not swapped, zram takes memory itself.
std::vector<result::Finding> fit_findings(const Plan& plan, const PressurePlan& pressure);

class Pressure {
 public:
  // The errors of set_up() that can be found without changing anything.
  static base::Expected<void> check(const PressurePlan& plan);
  // Errors: refused (the guard), privilege, usage (the file system does not support a swap file), io; nothing is left
  // behind. Steps that are impossible only without root are skipped and reported (PagingPressure::not_possible and a
  // finding). stop: called now and then (a large swap file takes a while); true: all is undone, an error with sys_errno
  // EINTR.
  static base::Expected<std::unique_ptr<Pressure>> set_up(const PressurePlan& plan,
                                                          std::vector<result::Finding>& findings,
                                                          const std::function<bool()>& stop = {});
  // Restores if restore() was not called; in a forked child both do nothing.
  virtual ~Pressure() = default;
  virtual base::Expected<void> join(int pid) = 0;  // moves a process into the cgroup
  virtual std::string cgroup_path() const = 0;     // "": no cgroup
  virtual OutsideGroup outside() = 0;              // the group outside that limits the run too
  virtual result::PagingPressure facts() = 0;      // current values: call before restore()
  // Undoes everything in reverse. Returns what failed, and what was done to other processes' pages. Tries once:
  // failures stay in the journal, for the next set_up() of this process, the next start or end of any run and
  // clean_up(). Swap in which another measuring run has pages stays too: that run's end turns it off, or the next
  // set_up() of the same plan uses it again. Signals do not interrupt it. say: called each second while it runs.
  virtual std::vector<result::Finding> restore(const std::function<void(const std::string&)>& say = {}) = 0;
};

struct StaleState {
  int pid = 0;                       // of the run that left it
  std::vector<std::string> undone;   // "swapoff /dev/zram1", "removed /var/tmp/swap"
  std::vector<std::string> failed;   // with the reason
  std::vector<std::string> waiting;  // swap in which a living run has pages: its end turns it off
  bool handed_over = false;          // the run had left it to the end of another
};
// Undoes the changes of runs that have ended, or have given up what they could not restore. Called at every start and
// end of `fathom paging` and by `fathom paging cleanup`. force: turns swap off even if the kernel will kill processes
// because their pages in it have no room in memory.
std::vector<StaleState> clean_up(bool force = false);
// Pids of these runs, if this user may read their journals. Changes nothing.
std::vector<int> stale_runs();
// Why clean_up() and stale_runs() may miss runs: this user may not read a state directory. Empty: they see all.
std::string cannot_look();

}  // namespace fathom::paging::pressure
