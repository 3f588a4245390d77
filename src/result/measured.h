// Whether a run has anything to report (one that was stopped early enough has not), and of when.
#pragma once
#include <algorithm>

#include "result/result.h"

namespace fathom::result {

// A log of fio may have bytes alone, or latencies alone.
inline bool has_samples(const Direction& dir) {
  return dir.ios > 0 || dir.bytes > 0 || dir.lat.moments_ns.n > 0 || dir.clat.moments_ns.n > 0 ||
         dir.slat.moments_ns.n > 0;
}

inline bool nothing_measured(const Run& run) {
  return !run.paging && std::all_of(run.jobs.begin(), run.jobs.end(), [](const Job& job) {
    return std::none_of(job.dirs.begin(), job.dirs.end(), has_samples);
  });
}

// fio dates its reports when they are made: after the jobs.
inline std::uint64_t reported_epoch_ms(const Run& run) {
  return run.end_epoch_ms > 0 ? run.end_epoch_ms : run.time_epoch_ms;
}

}  // namespace fathom::result
