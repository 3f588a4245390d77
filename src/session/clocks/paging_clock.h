// The clock that a paging run stamps with: the CPU counter where it may be trusted, as for `fathom run`
// (clock/verdict.h), else clock_gettime, which is said. A page fault may end on another CPU than it began on, so the
// cross-core test matters here as much as there. Thread rule: the main thread, before anything forks.
#pragma once
#include <vector>

#include "clock/sources/calibration.h"
#include "paging/plan.h"
#include "result/finding.h"
#include "result/paging.h"

namespace fathom::session::clocks {

struct PagingClock {
  clock::sources::Calibration calibration;
  double unseen_offset_ns = 0;  // that two CPUs' counters may be apart
  std::vector<result::Finding> findings;
};

// Puts stamps, conversion and rate into the plan. asked: the user named --stamps, which is then obeyed where possible.
PagingClock choose_paging_clock(paging::Plan& plan, bool asked);
// What is known of it, in the result.
void describe_clock(const PagingClock& clock, paging::Stamps stamps, result::PagingClock& out);

}  // namespace fathom::session::clocks
