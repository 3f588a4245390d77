// Summarizes the runs so far as a result::Sweep. Pure.
#pragma once
#include <string>

#include "result/commands/sweep.h"
#include "sweep/sweep.h"

namespace fathom::sweep {

result::Sweep summary_of(const Sweep& sweep, std::string program, std::string job, bool interrupted);

}  // namespace fathom::sweep
