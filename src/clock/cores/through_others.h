// Two CPUs that never followed each other were still compared through those between them: offsets add along a path of
// pairs that met, so the smallest gaps along it add to a bound. Ticks; any thread.
#pragma once
#include <span>

#include "clock/cores/entries.h"

namespace fathom::clock::cores {

// Fills Pair::through_others of every pair whose steadiness is unknown. pairs: of `cpus` CPUs, every a < b, in order.
// The paths are over steady pairs and the shortest there are; at most cpus^3 steps, none where all pairs met.
void bound_through_others(std::size_t cpus, std::span<Pair> pairs);

}  // namespace fathom::clock::cores
