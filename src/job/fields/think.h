// Spacing of a rate and pauses of a job, in addition to rate=, thinktime= and thinktime_blocks= (job.h).
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

enum class RateProcess : std::uint8_t { linear, poisson };

struct Think : OfJob {
  RateProcess process = RateProcess::linear;
  bool rate_ignores = false;    // rate_ignore_thinktime: a rate does not catch up after a pause
  std::uint64_t iotime_ns = 0;  // time of I/O between pauses; 0: only thinktime_blocks
  bool by_issue = false;        // thinktime_blocks counts I/Os at issue, not at completion
  bool blocks_given = false;    // thinktime_blocks was written
  std::uint64_t cycles = 0;     // thinkcycles: iterations of an empty loop after each I/O
};

}  // namespace fathom::job::fields
