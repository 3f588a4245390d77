// What the stamps cost on this machine, and from which latency on an access can be a fault: measured at start, because
// both differ between machines by more than what is measured later. The floor is the median of the pair with nothing in
// it. The slow threshold is half of the fastest minor fault of a scratch map (fresh page read and written, zero page
// written, page of a memory file mapped): no fault of this machine is faster, so none is taken for a hit unseen.
// Thread rule: any thread; some milliseconds.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "paging/plan.h"

namespace fathom::paging {

// Ticks of the stamps' clock.
struct StampFloor {
  std::uint64_t empty_p50 = 0, empty_p99 = 0;
  std::uint64_t cached_load_p50 = 0;
  std::uint64_t fastest_fault = 0;
  std::uint64_t lookup_p50 = 0;  // read_faults() within the same pair
};
// Errors: io (no memory for the scratch map).
base::Expected<StampFloor> measure_stamp_floor(Stamps stamps);

// From here on an access is looked up: half of the fastest fault, and above the floor.
std::uint64_t slow_threshold(const StampFloor& floor);

}  // namespace fathom::paging
