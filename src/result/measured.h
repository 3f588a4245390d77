// Whether a run has anything to report (a run that was stopped early enough has not), the date of the report, and its
// single jobs.
#pragma once
#include <algorithm>
#include <vector>

#include "result/result.h"

namespace fathom::result {

// A log of fio may have only bytes, or only latencies.
inline bool has_samples(const Direction& dir) {
  return dir.ios > 0 || dir.bytes > 0 || dir.lat.moments_ns.n > 0 || dir.clat.moments_ns.n > 0 ||
         dir.slat.moments_ns.n > 0;
}

inline bool nothing_measured(const Run& run) {
  return !run.paging && std::all_of(run.jobs.begin(), run.jobs.end(), [](const Job& job) {
    return std::none_of(job.dirs.begin(), job.dirs.end(), has_samples);
  });
}

// fio dates a report by the time when it is made: after the jobs.
inline std::uint64_t reported_epoch_ms(const Run& run) {
  return run.end_epoch_ms > 0 ? run.end_epoch_ms : run.time_epoch_ms;
}

// The single jobs of the run in order: a group_reporting sum is replaced by its members.
inline std::vector<const Job*> single_jobs(const Run& run) {
  std::vector<const Job*> jobs;
  std::size_t member = 0;
  for (const auto& job : run.jobs) {
    if (job.members <= 1) jobs.push_back(&job);
    for (int i = 0; job.members > 1 && i < job.members && member < run.group_members.size(); ++i)
      jobs.push_back(&run.group_members[member++]);
  }
  return jobs;
}

}  // namespace fathom::result
