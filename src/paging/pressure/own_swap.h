// Swap that a run has made: whether the present object is still that swap. Also which of it is still on when the same
// process sets up its next repetition, because another run has pages in it. If the repetition requests the same swap,
// it is used again: a new file would get the same name, and a second zram would take only a part of the pages.
// Thread rule: as machine.h.
#pragma once
#include <string>
#include <vector>

#include "paging/plan.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/state/journal.h"
#include "paging/pressure/swap/swap_header.h"

namespace fathom::paging::pressure {

// For the entries that make swap. False: the swap is gone, or another object has its name now.
bool is_own_swap(Machine& machine, const state::Entry& entry);
std::string swap_of_entry(const state::Entry& entry);  // its path; "": the entry makes no swap

// Kind, path, size and compressor, as Action::asked keeps them.
std::string asked_text(const SwapPlan& plan);

struct OwnSwap {
  swap::ActiveSwap swap;
  std::string asked;  // "": unknown
};
// Swap that is on and that a run's journal lists as its own.
std::vector<OwnSwap> own_swaps_on(Machine& machine, const std::vector<state::Entry>& entries);

}  // namespace fathom::paging::pressure
