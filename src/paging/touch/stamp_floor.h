// The cost of the stamps on this machine, and the latency from which an access can be a fault. Both are measured at
// start, because they differ between machines by more than what is measured later. The floor is the median of an empty
// pair. The slow threshold is half of the fastest minor fault of a scratch map (fresh page read and written, zero page
// written, page of a memory file mapped). No fault of this machine is faster, so no fault is taken for a hit.
// Thread rule: any thread; takes some milliseconds.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "paging/plan.h"

namespace fathom::paging::touch {

// In ticks of the stamps' clock. If the clock moves in steps (some virtual machines' TSC: 10 ns; arm's counter: 40 ns),
// every latency is a whole number of them, and so is every median. A mean over pairs that begin anywhere within a step
// does not depend on the step.
struct StampFloor {
  std::uint64_t step = 0;  // median distance between the durations seen, but for rounding; 0: all were the same
  std::uint64_t empty_p50 = 0, empty_p99 = 0;
  std::uint64_t cached_load_p50 = 0;
  double empty_mean = 0, cached_load_mean = 0;
  std::uint64_t fastest_fault = 0;
  std::uint64_t lookup_p50 = 0;  // read_faults() between two clock reads without a fence
};
// Errors: io (no memory for the scratch map).
base::Expected<StampFloor> measure_stamp_floor(Stamps stamps);

// From here on the fault counters are read after an access: half of the fastest fault, and above the floor.
std::uint64_t slow_threshold(const StampFloor& floor);

}  // namespace fathom::paging::touch
