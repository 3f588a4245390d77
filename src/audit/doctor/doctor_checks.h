// The result of `fathom doctor`, without the program's name: all lines under their headings, and what can be measured.
// Pure. Thread-safe.
#pragma once
#include "audit/doctor/facts.h"
#include "result/commands/doctor.h"

namespace fathom::audit::doctor {

result::Doctor doctor_checks(const Facts& facts);

}  // namespace fathom::audit::doctor
