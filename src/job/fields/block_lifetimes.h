// block_error_percentiles=: the number of trims of each block until it failed.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct BlockLifetimes : OfJob {
  bool on = false;
};

}  // namespace fathom::job::fields
