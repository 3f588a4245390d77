// A result for publication: without the host's name, serial numbers, paths and the command line. Measurements and the
// kind of machine stay. Pure.
#pragma once
#include "result/commands/clock_sources.h"
#include "result/commands/clock_test.h"
#include "result/commands/pmu_stat.h"
#include "result/result.h"

namespace fathom::report::parts {

result::Run redacted(const result::Run& run);
result::PmuStat redacted(const result::PmuStat& stat);
// Results of the clock commands have no names except the file of the stored verdict.
result::ClockTest redacted(const result::ClockTest& test);
result::ClockSources redacted(const result::ClockSources& sources);

}  // namespace fathom::report::parts
