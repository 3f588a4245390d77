// cpus_allowed=, cpus_allowed_policy=: where a job may run.
#pragma once
#include <vector>

#include "job/job.h"

namespace fathom::job::fields {

struct Cpus : OfJob {
  std::vector<int> allowed;  // empty: all
  bool split = false;        // copies get one each
};

}  // namespace fathom::job::fields
