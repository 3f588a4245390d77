// One second of a run for other programs: a JSON object on one line, and a text file as Prometheus's node exporter
// collects them. Rates and percentiles cover that second; each percentile is written only if there are enough latencies
// for it. Counters cover all jobs since they began, and restart when a ramp ends. Pure: the caller writes the text.
// Source: Prometheus's text-based format, version 0.0.4; its naming of metrics (base units, _total).
#pragma once
#include <cstdint>
#include <string>

#include "run/runner.h"

namespace fathom::live {

std::string json_line(const run::Progress& p, std::uint64_t epoch_ms);
std::string metrics_text(const run::Progress& p);
// A metric with one value: single(), the current value; counter(), the count since the beginning.
std::string single(const char* name, const char* help, const std::string& value);
std::string counter(const char* name, const char* help, std::uint64_t value);

}  // namespace fathom::live
