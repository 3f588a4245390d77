// --repeat: compares the numbers of all repetitions, and selects the one to show. Pure functions of finished runs.
#pragma once
#include <cstddef>
#include <vector>

#include "result/result.h"

namespace fathom::run {

// iops, bandwidth and latency (mean, p50, p99; for paced jobs also from the intended start) of every job and used
// direction, over all repetitions.
std::vector<result::RepeatedMetric> summarize_repetitions(const std::vector<result::Run>& runs);
// The repetition with the median of total I/Os per second: the report shows it in full.
std::size_t median_repetition(const std::vector<result::Run>& runs);

}  // namespace fathom::run
