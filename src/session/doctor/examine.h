// Examines what this machine lets fathom measure: the state of its clock, the overhead of fathom, permissions and
// limits, counters and traces, disks. Changes nothing that lasts: it sets up a ring, and loads and attaches BPF
// programs, and removes them. Takes some tens of milliseconds. `fathom doctor`.
#pragma once
#include "result/commands/doctor.h"

namespace fathom::session::doctor {

// Sets everything except the program's name.
result::Doctor examine_machine();

}  // namespace fathom::session::doctor
