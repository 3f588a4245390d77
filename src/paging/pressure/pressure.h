// Pressure on memory, set up and restored. Every change is written to a journal before it is made (journal.h), so that
// whatever ends the program, this run or the next start undoes it. Thread rule: the main thread.
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
// own_bytes: what the measuring side itself needs.
base::Expected<void> check_fit(const Plan& plan, const PressurePlan& pressure);
// What fits but will not page as it looks: huge pages are not swapped, zram takes memory itself.
std::vector<result::Finding> fit_findings(const Plan& plan, const PressurePlan& pressure);

class Pressure {
 public:
  // What set_up() would refuse, as far as that can be known without changing anything; the same errors.
  static base::Expected<void> check(const PressurePlan& plan);
  // Errors: refused (the guard), privilege, usage (a swap file on a file system that cannot), io; nothing is left
  // behind. What is merely not possible without root is skipped and said (PagingPressure::not_possible and a finding).
  // stop: asked now and then (a large swap file takes a while); true: all is undone, an error with sys_errno EINTR.
  static base::Expected<std::unique_ptr<Pressure>> set_up(const PressurePlan& plan,
                                                          std::vector<result::Finding>& findings,
                                                          const std::function<bool()>& stop = {});
  // Restores if restore() was not called; in a forked child neither of them does anything.
  virtual ~Pressure() = default;
  virtual base::Expected<void> join(int pid) = 0;  // moves a process into the cgroup
  virtual std::string cgroup_path() const = 0;     // "": none
  virtual OutsideGroup outside() = 0;              // whose limit holds besides
  virtual result::PagingPressure facts() = 0;      // as it is now: call before restore()
  // All back, in reverse; what failed, and what was done to others' pages. Tried once: what failed stays in the
  // journal, for the next set_up() of this process, the next start or end of any run and clean_up(); so does swap in
  // which another run that measures has pages: that run's end takes it off, or the next set_up() of the same plan uses
  // it again. No signal cuts it short. say: called each second in which it goes on.
  virtual std::vector<result::Finding> restore(const std::function<void(const std::string&)>& say = {}) = 0;
};

struct StaleState {
  int pid = 0;                       // of the run that left it
  std::vector<std::string> undone;   // "swapoff /dev/zram1", "removed /var/tmp/swap"
  std::vector<std::string> failed;   // with the reason
  std::vector<std::string> waiting;  // swap that a run which lives has pages in: its end takes it off
  bool handed_over = false;          // the run had left it to the end of another
};
// Of runs that are no more, or have given up what they could not restore. Called at every start and end of `fathom
// paging` and by `fathom paging cleanup`. force: swap goes off also where the kernel will kill those whose pages in it
// have no room in memory.
std::vector<StaleState> clean_up(bool force = false);
// Their pids, of whatever user may read the journals; looks, and changes nothing.
std::vector<int> stale_runs();
// Why clean_up() and stale_runs() may not see all: a state directory that this user may not read. Empty: they do.
std::string cannot_look();

}  // namespace fathom::paging::pressure
