// A second of a run for programs: an object of JSON on a line of its own, and a text file as Prometheus's node exporter
// collects them. Rates are of that second, percentiles too, each only where there are enough latencies for it; counters
// are of all jobs since they began, and begin anew when a ramp ends. Pure: the caller writes them.
// Source: Prometheus's text-based format, version 0.0.4; its naming of metrics (base units, _total).
#pragma once
#include <cstdint>
#include <string>

#include "run/runner.h"

namespace fathom::live {

std::string json_line(const run::Progress& p, std::uint64_t epoch_ms);
std::string metrics_text(const run::Progress& p);
// A metric with one value: of now, and since the beginning.
std::string single(const char* name, const char* help, const std::string& value);
std::string counter(const char* name, const char* help, std::uint64_t value);

}  // namespace fathom::live
