// What a sweep's runs say: result::Sweep of the history so far. Pure.
#pragma once
#include <string>

#include "result/commands/sweep.h"
#include "sweep/sweep.h"

namespace fathom::sweep {

result::Sweep summary_of(const Sweep& sweep, std::string program, std::string job, bool interrupted);

}  // namespace fathom::sweep
