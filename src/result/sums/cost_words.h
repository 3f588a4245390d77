// A cost of watching in words: one place for all watchers, for the report's rows and for the audit's findings. Pure.
#pragma once
#include <string>

#include "result/watching_cost.h"

namespace fathom::result::sums {

// "1.0 +- 0.9 % of the rate": what is judged, of a cost that has an interval.
std::string cost_number(const WatchingCost& cost);
// The judgement: "below 2 %: 1.0 +- 0.9 % of the rate", or why there is none.
std::string cost_words(const WatchingCost& cost);
// ", CPU 310 +- 40 ns an I/O"; empty: it is not known.
std::string cpu_words(const WatchingCost& cost);
// ", by 19 slices": of time, and of which.
std::string slices_words(const WatchingCost& cost);

// The judgement, and where there is one what it rests on.
std::string judged_words(const WatchingCost& cost);

}  // namespace fathom::result::sums
