// What the stamps cost on this machine, and from which latency on an access can be a fault: measured at start, because
// both differ between machines by more than what is measured later. The floor is the median of the pair with nothing in
// it. The slow threshold is half of the fastest minor fault of a scratch map (fresh page read and written, zero page
// written, page of a memory file mapped): no fault of this machine is faster, so none is taken for a hit unseen.
// Thread rule: any thread; some milliseconds.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "paging/plan.h"

namespace fathom::paging::touch {

// Ticks of the stamps' clock. A clock that moves in steps (some virtual machines' TSC: 10 ns; arm's counter: 40 ns)
// makes every latency a whole number of them, and so every median; a mean over pairs that begin anywhere within a step
// does not depend on it.
struct StampFloor {
  std::uint64_t step = 0;  // smallest difference between two durations, but for rounding; 0: all were the same
  std::uint64_t empty_p50 = 0, empty_p99 = 0;
  std::uint64_t cached_load_p50 = 0;
  double empty_mean = 0, cached_load_mean = 0;
  std::uint64_t fastest_fault = 0;
  std::uint64_t lookup_p50 = 0;  // read_faults() within the same pair
};
// Errors: io (no memory for the scratch map).
base::Expected<StampFloor> measure_stamp_floor(Stamps stamps);

// From here on an access is looked up: half of the fastest fault, and above the floor.
std::uint64_t slow_threshold(const StampFloor& floor);

}  // namespace fathom::paging::touch
