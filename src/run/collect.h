// From a worker's record to a result::Job, from jobs to a group_reporting sum, and from those to fio's "Run status
// group". Pure functions: nothing is measured here.
#pragma once
#include <string>
#include <vector>

#include "result/result.h"
#include "run/record.h"
#include "run/sampler.h"
#include "run/targets.h"

namespace fathom::run {

// program: the name that lines of errors begin with.
result::Job collect_job(const Plan& plan, std::uint32_t index, const WorkerRecord& record, const WorkerSeries& series,
                        const result::ClockFacts& clock, const std::string& program);

// The sum of members [first, last), named after the first. `series` is of what they did together at each tick.
result::Job sum_jobs(const std::vector<result::Job>& members, const Series& series);

std::vector<result::Group> sum_groups(const std::vector<result::Job>& jobs);

}  // namespace fathom::run
