// Extracts from a run's result the numbers that a sweep uses. Pure.
#pragma once
#include <string>
#include <vector>

#include "result/result.h"
#include "sweep/sweep.h"

namespace fathom::sweep {

// The latency that knee and limit use, by the name that the user wrote. In an open loop, `lat` is measured from the
// moment at which an I/O was due, regardless of the cause of a delay (intended_lat). Errors: usage.
base::Expected<compare::Metric> latency_named(const std::string& name, bool paced);
// This latency, and the other metrics that are shown for each point.
std::vector<compare::Metric> metrics_with(const compare::Metric& latency, bool paced);

// A run without a rate limit (Stage::most) needs only its rate. Every other run needs the latency too.
Outcome outcome_of(const result::Run& run, const std::vector<compare::Metric>& metrics, Stage stage);

}  // namespace fathom::sweep
