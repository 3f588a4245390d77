// block_error_percentiles=: how often each block was trimmed until it failed.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct BlockLifetimes : OfJob {
  bool on = false;
};

}  // namespace fathom::job::fields
