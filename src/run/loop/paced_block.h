// Time per block at the job's rate: the shortest over all directions. ~0: no rate.
#pragma once
#include <algorithm>
#include <cstdint>

#include "job/job.h"

namespace fathom::run::loop {

inline std::uint64_t paced_block_ns(const job::Job& job) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  std::uint64_t block_ns = ~0ull;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (job.rate_iops[d] != 0) block_ns = std::min(block_ns, kSecond / job.rate_iops[d]);
    if (job.rate_bytes_per_s[d] != 0) block_ns = std::min(block_ns, job.bs_min[d] * kSecond / job.rate_bytes_per_s[d]);
  }
  return block_ns;
}

}  // namespace fathom::run::loop
