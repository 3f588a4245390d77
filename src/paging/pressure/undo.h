// Undoing a journal: in reverse, each entry only as far as the thing is still there and still the run's own, so that
// undoing twice, or undoing what was never made, does no harm. Called by the run itself and by the next one's clean-up.
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
  std::vector<std::string> left;     // not this run's own any more: "vm.swappiness is 70, ..."
  std::vector<std::string> failed;   // with the reason
  std::vector<std::string> held;     // swap that is on still: others' pages in it have no room in memory (holders.h)
  std::vector<std::string> waiting;  // swap that is on still: a run that lives has pages in it
  std::vector<std::string> brought;  // others' pages that came back into memory
  bool all() const { return failed.empty() && held.empty() && waiting.empty(); }
};
struct UndoHow {
  bool force = false;                           // swap off whoever is killed for it
  std::function<void(const std::string&)> say;  // each second, what takes so long; may be empty
};
Undone undo(Machine& machine, state::RunId run, const std::vector<state::Entry>& entries,
            const std::vector<state::OtherEntry>& others, const UndoHow& how = {});
inline constexpr const char* kHeldRemedy =
    "`fathom paging cleanup` after they have ended; `fathom paging cleanup --force` at once, and the kernel may kill "
    "them";

// The runs that others' entries are of.
std::vector<LivingRun> living_runs(const std::vector<state::OtherEntry>& others);

// The active swap that a path names, by text or by what it leads to.
std::optional<swap::ActiveSwap> active_swap_at(Machine& machine, const std::string& path);
std::vector<swap::ActiveSwap> active_swaps(Machine& machine);
std::vector<int> zram_ids(Machine& machine);
std::string cgroup_name(int pid);  // "fathom-paging-1234"
std::string leaf_name(int pid);    // "fathom-leaf-1234": where the run itself is, beside it

}  // namespace fathom::paging::pressure
