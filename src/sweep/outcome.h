// What a sweep takes from the result of a run. Pure.
#pragma once
#include <string>
#include <vector>

#include "result/result.h"
#include "sweep/sweep.h"

namespace fathom::sweep {

// The latency that knee and limit are of, by its name as the user wrote it: in an open loop `lat` is counted from the
// moment at which an I/O was due, whatever was in its way (intended_lat). Errors: usage.
base::Expected<compare::Metric> latency_named(const std::string& name, bool paced);
// It, and what is shown of each point beside it.
std::vector<compare::Metric> metrics_with(const compare::Metric& latency, bool paced);

// Of a run without a rate its rate is wanted, and no latency.
Outcome outcome_of(const result::Run& run, const std::vector<compare::Metric>& metrics, Stage stage);

}  // namespace fathom::sweep
