// Undoes a journal in reverse. It undoes an entry only if the thing still exists and is still the run's own, so undoing
// twice, or undoing what was never made, does no harm. The run itself and the next run's clean-up call it.
// Thread rule: main thread, under the state directory's lock.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "paging/pressure/holders.h"
#include "paging/pressure/state/journal_file.h"
#include "paging/pressure/swap/swap_header.h"

namespace fathom::paging::pressure {

struct Undone {
  std::vector<std::string> undone;   // "swapoff /dev/zram1"
  std::vector<std::string> left;     // no longer this run's own: "vm.swappiness is 70, ..."
  std::vector<std::string> failed;   // with the reason
  std::vector<std::string> held;     // swap still on: others' pages in it have no room in memory (holders.h)
  std::vector<std::string> waiting;  // swap still on: a living run has pages in it
  std::vector<std::string> brought;  // others' pages that were read back into memory
  bool all() const { return failed.empty() && held.empty() && waiting.empty(); }
};
struct UndoHow {
  bool force = false;                           // turn swap off even if processes are killed for it
  std::function<void(const std::string&)> say;  // each second, what takes time; may be empty
};
Undone undo(Machine& machine, state::RunId run, const std::vector<state::Entry>& entries,
            const std::vector<state::OtherEntry>& others, const UndoHow& how = {});
inline constexpr const char* kHeldRemedy =
    "`fathom paging cleanup` after they have ended; `fathom paging cleanup --force` at once, and the kernel may kill "
    "them";

// The runs that wrote these entries.
std::vector<LivingRun> living_runs(const std::vector<state::OtherEntry>& others);

// The active swap at a path, by its text or by the target that it leads to.
std::optional<swap::ActiveSwap> active_swap_at(Machine& machine, const std::string& path);
std::vector<swap::ActiveSwap> active_swaps(Machine& machine);
std::vector<int> zram_ids(Machine& machine);
std::string cgroup_name(int pid);  // "fathom-paging-1234"
std::string leaf_name(int pid);    // "fathom-leaf-1234": cgroup of the run itself, next to cgroup_name()

}  // namespace fathom::paging::pressure
