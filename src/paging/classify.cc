// Reads the fault counters, and computes the difference of two counts.
#include "paging/classify.h"

#include <sys/resource.h>

#include <algorithm>

namespace fathom::paging {

FaultCounts read_faults() {
  rusage usage;
  ::getrusage(RUSAGE_THREAD, &usage);
  return {static_cast<std::uint64_t>(usage.ru_minflt), static_cast<std::uint64_t>(usage.ru_majflt)};
}

double class_difference(std::uint64_t classed, std::uint64_t counted) {
  const std::uint64_t larger = std::max(classed, counted), smaller = std::min(classed, counted);
  return larger == 0 ? 0.0 : static_cast<double>(larger - smaller) / static_cast<double>(larger);
}

}  // namespace fathom::paging
