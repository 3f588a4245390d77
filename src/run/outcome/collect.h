// From a worker's record to a result::Job. Pure functions: nothing is measured here.
#pragma once
#include <string>

#include "result/result.h"
#include "run/files/targets.h"
#include "run/records/record.h"
#include "run/sampling/sampler.h"

namespace fathom::run::outcome {

// program: the name at the start of error lines.
result::Job collect_job(const files::Plan& plan, std::uint32_t index, const records::WorkerRecord& record,
                        const sampling::WorkerSeries& series, const result::ClockFacts& clock,
                        const std::string& program);

}  // namespace fathom::run::outcome
