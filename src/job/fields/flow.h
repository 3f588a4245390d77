// flow=, flow_id=, flow_sleep=: jobs with one id divide their I/Os by weight.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct Flow : OfJob {
  std::uint32_t weight = 0;  // 0: the job is in no flow
  std::int32_t id = 0;
  std::uint64_t sleep_ns = 0;  // pause while the job is ahead; 0: it spins
};

}  // namespace fathom::job::fields
