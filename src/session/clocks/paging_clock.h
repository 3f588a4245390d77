// The clock for the timestamps of a paging run: the CPU counter if it can be trusted, as for `fathom run`
// (clock/verdict.h), else clock_gettime with a finding. A page fault may begin and end on different CPUs, so the
// cross-core test matters here too. Thread rule: the main thread, before any fork.
#pragma once
#include <vector>

#include "clock/sources/calibration.h"
#include "paging/plan.h"
#include "result/finding.h"
#include "result/paging.h"

namespace fathom::session::clocks {

struct PagingClock {
  clock::sources::Calibration calibration;
  double unseen_offset_ns = 0;  // maximum undetected offset between the counters of two CPUs
  std::vector<result::Finding> findings;
};

// Sets the timestamp source, conversion and rate in the plan. asked: the user gave --stamps; it is used if possible.
PagingClock choose_paging_clock(paging::Plan& plan, bool asked);
// Copies the clock's properties into the result.
void describe_clock(const PagingClock& clock, paging::Stamps stamps, result::PagingClock& out);

}  // namespace fathom::session::clocks
