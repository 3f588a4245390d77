// How a rate is spaced and where a job pauses, beside rate=, thinktime= and thinktime_blocks= (job.h).
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

enum class RateProcess : std::uint8_t { linear, poisson };

struct Think : OfJob {
  RateProcess process = RateProcess::linear;
  bool rate_ignores = false;    // rate_ignore_thinktime: what a pause cost a rate is not made up for
  std::uint64_t iotime_ns = 0;  // think after so much time of I/O; 0: thinktime_blocks alone says when
  bool by_issue = false;        // thinktime_blocks counts I/Os when they are issued, not when they are over
  bool blocks_given = false;    // thinktime_blocks was written
  std::uint64_t cycles = 0;     // thinkcycles: turns of an empty loop after each I/O
};

}  // namespace fathom::job::fields
