// Compares two CPUs that never followed each other through the CPUs between them. Offsets add along a path of compared
// pairs, so the sum of the smallest gaps along it is a bound. Ticks; any thread.
#pragma once
#include <span>

#include "clock/cores/entries.h"

namespace fathom::clock::cores {

// Fills Pair::through_others of every pair of unknown steadiness. pairs: of `cpus` CPUs, every a < b, in order.
// Uses the shortest paths over steady pairs; cpus^3 steps at most, none if all pairs were compared.
void bound_through_others(std::size_t cpus, std::span<Pair> pairs);

}  // namespace fathom::clock::cores
