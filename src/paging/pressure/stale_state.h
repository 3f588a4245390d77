// clean_up() of pressure.h on a machine and state directory that the caller chooses.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "paging/pressure/machine.h"
#include "paging/pressure/pressure.h"
#include "paging/pressure/state/journal.h"
#include "paging/pressure/undo.h"

namespace fathom::paging::pressure {

std::vector<StaleState> clean_up_on(Machine& machine, const std::string& state, bool force = false);
std::vector<int> stale_runs_on(Machine& machine, const std::string& state);
// Call under the state directory's lock, with signals held. self: its journal is skipped.
std::vector<StaleState> clean_up_locked(Machine& machine, const std::string& state, state::RunId self,
                                        const UndoHow& how);

}  // namespace fathom::paging::pressure
