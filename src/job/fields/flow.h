// flow=, flow_id=, flow_sleep=: jobs of one id share their I/Os out by their weights.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct Flow : OfJob {
  std::uint32_t weight = 0;  // 0: the job is in no flow
  std::int32_t id = 0;
  std::uint64_t sleep_ns = 0;  // where it is ahead; 0: it spins
};

}  // namespace fathom::job::fields
