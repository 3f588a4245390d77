// wait_for=, ramp_size=: conditions before a job begins, and before it is measured.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct Start : OfJob {
  std::string wait_for;   // name of an earlier job; empty: no wait
  int wait_section = -1;  // its section
  std::uint64_t ramp_bytes = 0;
};

}  // namespace fathom::job::fields
