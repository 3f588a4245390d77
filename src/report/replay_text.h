// The texts about a replay that the text report and the HTML page share. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "result/result.h"

namespace fathom::report {

// "iolog-2, `wait` in ms since the start"
std::string replay_format_text(const result::Replay& replay);
// "recorded times", "recorded times at 50 % of the rate"
std::string replay_pace_text(const result::Replay& replay);
// "p50 1.2 us, p99 20 us, max 1 ms; last I/O 3 us; 0 more than 1 ms late"
std::string lateness_text(const result::Replay& replay);
// The interval with the largest difference between recorded and achieved I/Os.
struct WorstInterval {
  std::uint64_t number = 0;  // from 0
  std::uint64_t recorded_ios = 0, achieved_ios = 0;
};
std::optional<WorstInterval> worst_interval(const result::Replay& replay);
std::string replay_rate_text(const result::Replay& replay);

}  // namespace fathom::report
