// A result that may be shown to others: without the host's name, serial numbers, paths and the command line. What was
// measured, and on what kind of machine, stays. Pure.
#pragma once
#include "result/commands/clock_sources.h"
#include "result/commands/clock_test.h"
#include "result/commands/pmu_stat.h"
#include "result/result.h"

namespace fathom::report::parts {

result::Run redacted(const result::Run& run);
result::PmuStat redacted(const result::PmuStat& stat);
// Of the clock there are no names but the file that its verdict is kept in.
result::ClockTest redacted(const result::ClockTest& test);
result::ClockSources redacted(const result::ClockSources& sources);

}  // namespace fathom::report::parts
