// rate_min=, rate_iops_min=, rate_cycle=: a job with a lower rate over a cycle ends with an error.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

struct LeastRate : OfJob {
  PerDir<std::uint64_t> bytes_per_s{};
  PerDir<std::uint32_t> iops{};
  std::uint64_t cycle_ns = 1'000'000'000;
  bool any() const {
    for (std::size_t d = 0; d < io::kDataDirs; ++d)
      if (bytes_per_s[d] != 0 || iops[d] != 0) return true;
    return false;
  }
};

}  // namespace fathom::job::fields
