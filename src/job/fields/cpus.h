// cpus_allowed=, cpus_allowed_policy=: the CPUs on which a job may run.
#pragma once
#include <vector>

#include "job/job.h"

namespace fathom::job::fields {

struct Cpus : OfJob {
  std::vector<int> allowed;  // empty: all
  bool split = false;        // each copy gets one CPU
};

}  // namespace fathom::job::fields
