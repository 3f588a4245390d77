// What the normal report leaves out or shortens, for who wants to know all of a run without reading its JSON: the machine,
// the jobs' options, every percentile of every latency, facts of the clock, what was asked beside what was delivered, and
// every count that the audit rests on. A line a fact, its name before it; a doubt is not said again here, findings stand
// above. As in fathom's own section no line looks like one of fio's. Pure.
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report::details {

// Of a run that parts::shown() made.
std::string details(const result::Run& run);

}  // namespace fathom::report::details
