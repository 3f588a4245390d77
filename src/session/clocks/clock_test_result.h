// Converts the findings of the cross-core test to a result, which is reported and stored. Pure functions.
#pragma once
#include <string>

#include "clock/cores/cross_core.h"
#include "result/commands/clock_test.h"

namespace fathom::session::clocks {

result::BarrierTest barrier_test(clock::cores::Barrier barrier, std::string instruction,
                                 const clock::cores::TestRun& run, double ticks_per_second);

// Judges, from the pairs of the deciding test, if the test detected each injected clock error (--inject).
void judge_injections(result::ClockTest& test);

}  // namespace fathom::session::clocks
