// Sums of jobs for group_reporting, and of these for fio's "Run status group". Pure functions. Thread rule: any.
#pragma once
#include <vector>

#include "result/result.h"
#include "run/sampling/sampler.h"

namespace fathom::run::outcome {

// The sum of members [first, last), named after the first. `series`: the total of the members at each tick.
result::Job sum_jobs(const std::vector<result::Job>& members, const sampling::Series& series);

std::vector<result::Group> sum_groups(const std::vector<result::Job>& jobs);
// series: the total of the group's jobs at each tick.
void add_series(const sampling::Series& series, result::Group& group);

}  // namespace fathom::run::outcome
