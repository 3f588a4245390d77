// From a worker's record to a result::Job. Pure functions: nothing is measured here.
#pragma once
#include <string>

#include "result/result.h"
#include "run/record.h"
#include "run/sampler.h"
#include "run/targets.h"

namespace fathom::run {

// program: the name that lines of errors begin with.
result::Job collect_job(const Plan& plan, std::uint32_t index, const WorkerRecord& record, const WorkerSeries& series,
                        const result::ClockFacts& clock, const std::string& program);

}  // namespace fathom::run
