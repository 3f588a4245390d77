// One second of `fathom paging` for other programs, as live/second.h writes it for I/O: a JSON object on one line, and
// Prometheus's text format. Rates and percentiles cover that second; counters cover the measured window so far. Pure.
#pragma once
#include <cstdint>
#include <string>

#include "paging/measure.h"

namespace fathom::live {

// duration_s: length of the measured window, to compute the remaining time.
std::string paging_json_line(const paging::Progress& p, double duration_s, std::uint64_t epoch_ms);
std::string paging_metrics_text(const paging::Progress& p);
const char* phase_name(paging::Progress::Phase phase);

}  // namespace fathom::live
