// From what the cross-core test found to its result, which is reported and stored. Pure functions.
#pragma once
#include <string>

#include "clock/cross_core.h"
#include "result/clock_test.h"

namespace fathom::cli {

result::BarrierTest barrier_test(clock::Barrier barrier, std::string instruction, const clock::TestRun& run,
                                 double ticks_per_second);

// What became of each clock that was made wrong on purpose (--inject), from the pairs of the deciding test.
void judge_injections(result::ClockTest& test);

}  // namespace fathom::cli
