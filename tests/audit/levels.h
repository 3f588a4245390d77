// Runs with a series of so many I/Os in each point.
#pragma once
#include <initializer_list>
#include <utility>
#include <vector>

#include "sound_run.h"

namespace fathom::audit {

// Points of 500 ms with so many I/Os each.
inline void series(result::Job& job, const std::vector<std::uint64_t>& ios, std::size_t dir = 0) {
  job.series_width_ms = 500;
  for (std::size_t i = 0; i < ios.size(); ++i) {
    result::SeriesPoint point;
    point.time_ms = 500 * (i + 1), point.interval_ms = 500;
    point.ios = ios[i], point.bytes = 4096 * ios[i];
    job.dirs[dir].series.push_back(point);
  }
}

inline std::vector<std::uint64_t> levels(std::initializer_list<std::pair<std::uint64_t, int>> of) {
  std::vector<std::uint64_t> out;
  for (const auto& [ios, points] : of) out.insert(out.end(), static_cast<std::size_t>(points), ios);
  return out;
}

inline result::Run run_with_series(const std::vector<std::uint64_t>& ios) {
  auto run = sound_run();
  series(run.jobs[0], ios);
  return run;
}

}  // namespace fathom::audit
