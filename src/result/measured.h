// Whether a run has anything to report: one that was stopped early enough has not.
#pragma once
#include <algorithm>

#include "result/result.h"

namespace fathom::result {

inline bool nothing_measured(const Run& run) {
  return !run.paging && std::all_of(run.jobs.begin(), run.jobs.end(), [](const Job& job) {
    return std::all_of(job.dirs.begin(), job.dirs.end(), [](const Direction& d) { return d.ios == 0; });
  });
}

}  // namespace fathom::result
