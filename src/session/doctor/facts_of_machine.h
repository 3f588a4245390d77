// Reads the facts of permissions, limits, counters, processor, memory and disks (audit/doctor/facts.h). What cannot be
// read stays unknown. Thread rule: the main thread.
#pragma once
#include <string>

#include "audit/doctor/facts.h"

namespace fathom::session::doctor {

// Everything but the clock and the overhead.
void add_facts_of_machine(audit::doctor::Facts& facts);

// Its parts that only read files. prefix: precedes /proc and /sys, for tests. add_hardware() needs facts.cpus.
void add_rights(audit::doctor::Facts& facts, const std::string& prefix);
void add_hardware(audit::doctor::Facts& facts, const std::string& prefix);

}  // namespace fathom::session::doctor
