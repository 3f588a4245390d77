// The jobs of a report: consecutive jobs of one group under group_reporting are one job. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "run/files/targets.h"

namespace fathom::witness {

struct ReportedJob {
  std::string name;
  int number = 0;                  // of its first plan
  std::vector<std::size_t> plans;  // all of its plans
};

inline std::vector<ReportedJob> reported_jobs(std::span<const run::files::Plan> plans) {
  std::vector<ReportedJob> jobs;
  const job::Job* before = nullptr;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& job = plans[i].job;
    const bool joined = before != nullptr && before->group_reporting && job.group_reporting &&
                        before->group_id == job.group_id && !jobs.empty();
    if (!joined) jobs.push_back({job.name, static_cast<int>(i), {}});
    jobs.back().plans.push_back(i);
    before = &job;
  }
  return jobs;
}

// The job's rate is fixed, independent of the cost of an I/O.
inline bool is_paced(const job::Job& job) { return job.paced() || job.thinktime_ns > 0; }

}  // namespace fathom::witness
