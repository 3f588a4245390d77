// What holds of every run that was read, whoever wrote the file: histograms add up to their moments or are empty,
// percentiles rise. Aborts: for fuzzers.
#pragma once
#include <cstdlib>
#include <vector>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import {

template <class L>
void check(const L& latency) {
  const auto total = latency.histogram_ns.total();
  if (total != 0 && (total != latency.moments_ns.n || !latency.percentiles_ns.empty())) std::abort();
  double before = 0;
  for (const auto& [percentile, value] : latency.percentiles_ns) {
    if (!(percentile > before && percentile <= 100)) std::abort();
    before = percentile;
  }
}

inline void check(const std::vector<result::Job>& jobs) {
  for (const auto& job : jobs) {
    check(job.sync_lat);
    for (const auto& dir : job.dirs) check(dir.slat), check(dir.clat), check(dir.lat), check(dir.intended_lat);
    double before = 0;
    for (const double percentile : job.percentile_list) {
      if (!(percentile > before && percentile <= 100)) std::abort();
      before = percentile;
    }
  }
}

inline void check(const result::Run& run) {
  check(run.jobs), check(run.group_members);
  if (run.paging)
    for (const auto& of_class : run.paging->latency)
      for (const auto& latency : of_class) check(latency);
  for (const auto& repetition : run.repetitions) check(repetition);
}

// What is refused has a place that lies in the text.
inline void check(const base::Error& error) {
  const auto& place = error.place;
  if (!place || place->line < 1 || place->column < 1 ||
      (!place->line_text.empty() && place->column > static_cast<int>(place->line_text.size()) + 1) ||
      error.what.empty())
    std::abort();
}

}  // namespace fathom::import
