// The data that the normal report omits or shortens, for users who want all of a run without its JSON: the machine,
// the jobs' options, every percentile of every latency, facts of the clock, requested and achieved values, and every
// count that the audit uses. One line per fact, its name first. Warnings are not repeated here: findings are printed
// above. As in fathom's own section, no line looks like one of fio's. Pure.
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report::details {

// For a run that parts::shown() made.
std::string details(const result::Run& run);

}  // namespace fathom::report::details
