// The overhead of probes in words: one place for all probes, for the report's rows and for the audit's findings. Pure.
#pragma once
#include <string>

#include "result/paging.h"
#include "result/watching_cost.h"

namespace fathom::result::sums {

// Terms of a cost. shows_median: show the median, even if it is not judged, because it covers only the I/Os that wait
// for the traced operation.
struct CostTerms {
  const char* each = "per I/O";
  const char* median = "the median latency";
  bool shows_median = false;
};
CostTerms terms_of(const Paging& paging);

// "1.0 +- 0.9 % of the rate": the judged quantity of a cost that has an interval.
std::string cost_number(const WatchingCost& cost, const CostTerms& terms = {});
// The verdict: "below 2 %: 1.0 +- 0.9 % of the rate", or why it is missing.
std::string cost_words(const WatchingCost& cost, const CostTerms& terms = {});
// ", CPU 310 +- 40 ns per I/O"; empty: unknown.
std::string cpu_words(const WatchingCost& cost, const CostTerms& terms = {});
// ", by 19 slices": their number, and whether they are of the ramp or of a separate run.
std::string slices_words(const WatchingCost& cost);

// The verdict, and its basis if there is a verdict.
std::string judged_words(const WatchingCost& cost, const CostTerms& terms = {});

}  // namespace fathom::result::sums
