// Examines what this machine lets fathom measure: the state of its clock, and fathom's overhead on it. Takes some tens
// of milliseconds. `fathom doctor`.
#pragma once
#include "result/commands/doctor.h"

namespace fathom::session::clocks {

// Sets everything except the program's name.
result::Doctor examine_machine();

}  // namespace fathom::session::clocks
