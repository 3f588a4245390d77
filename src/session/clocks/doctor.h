// What this machine lets fathom measure: the state of its clock, and what fathom itself costs on it. Takes some tens of
// milliseconds. `fathom doctor`.
#pragma once
#include "result/commands/doctor.h"

namespace fathom::session::clocks {

// All but the program's name.
result::Doctor examine_machine();

}  // namespace fathom::session::clocks
