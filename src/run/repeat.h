// --repeat: the numbers of each repetition side by side, and which repetition stands for them. Pure functions of
// finished runs.
#pragma once
#include <cstddef>
#include <vector>

#include "result/result.h"

namespace fathom::run {

// iops, bandwidth and latency (mean, p50, p99; of paced ones from the intended start too) of every job and direction that
// was used, over all repetitions.
std::vector<result::RepeatedMetric> summarize_repetitions(const std::vector<result::Run>& runs);
// The repetition with the median total of I/Os a second: the one that the report shows in full.
std::size_t median_repetition(const std::vector<result::Run>& runs);

}  // namespace fathom::run
