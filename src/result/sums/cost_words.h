// A cost of watching in words: one place for all watchers, for the report's rows and for the audit's findings. Pure.
#pragma once
#include <string>

#include "result/paging.h"
#include "result/watching_cost.h"

namespace fathom::result::sums {

// Whose cost it is. A median that nothing is judged by is shown where it is of less than all: of those that wait for
// what is watched.
struct CostTerms {
  const char* each = "per I/O";
  const char* median = "the median latency";
  bool shows_median = false;
};
CostTerms terms_of(const Paging& paging);

// "1.0 +- 0.9 % of the rate": what is judged, of a cost that has an interval.
std::string cost_number(const WatchingCost& cost, const CostTerms& terms = {});
// The judgement: "below 2 %: 1.0 +- 0.9 % of the rate", or why there is none.
std::string cost_words(const WatchingCost& cost, const CostTerms& terms = {});
// ", CPU 310 +- 40 ns per I/O"; empty: it is not known.
std::string cpu_words(const WatchingCost& cost, const CostTerms& terms = {});
// ", by 19 slices": of time, and of which.
std::string slices_words(const WatchingCost& cost);

// The judgement, and where there is one what it rests on.
std::string judged_words(const WatchingCost& cost, const CostTerms& terms = {});

}  // namespace fathom::result::sums
