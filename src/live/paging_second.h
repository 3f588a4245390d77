// A second of `fathom paging` for programs, as live/second.h has one of I/O: an object of JSON on a line of its own, and
// Prometheus's text. Rates and percentiles are of that second; counters of the measured window so far. Pure.
#pragma once
#include <cstdint>
#include <string>

#include "paging/measure.h"

namespace fathom::live {

// duration_s: of the measured window, for what is left.
std::string paging_json_line(const paging::Progress& p, double duration_s, std::uint64_t epoch_ms);
std::string paging_metrics_text(const paging::Progress& p);
const char* phase_name(paging::Progress::Phase phase);

}  // namespace fathom::live
