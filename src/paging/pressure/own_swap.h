// Swap that a run has made: whether what stands there now is it still, and which of it is on yet when the same process
// sets up its next repetition, as another run has pages in it. What is asked for again is then used again: its file has
// the name that a new one would get, and a second zram beside the first would take only a part of the pages. Thread
// rule: as machine.h.
#pragma once
#include <string>
#include <vector>

#include "paging/plan.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/state/journal.h"
#include "paging/pressure/swap/swap_header.h"

namespace fathom::paging::pressure {

// Of the entries that make swap; false for what is gone, and for others' things that have its name now.
bool is_own_swap(Machine& machine, const state::Entry& entry);
std::string swap_of_entry(const state::Entry& entry);  // its path; "": makes no swap

// Kind, path, size and compressor, as Action::asked keeps them.
std::string asked_text(const SwapPlan& plan);

struct OwnSwap {
  swap::ActiveSwap swap;
  std::string asked;  // "": not known
};
// What a run's journal says is its own and is on.
std::vector<OwnSwap> own_swaps_on(Machine& machine, const std::vector<state::Entry>& entries);

}  // namespace fathom::paging::pressure
