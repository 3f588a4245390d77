// Derives the seed of a job's random sequences.
#include "workload/seed.h"

#include <sys/random.h>

#include "base/prng.h"

namespace fathom::workload {

std::uint64_t job_seed(const job::Job& job, std::uint32_t job_index) {
  constexpr std::uint64_t kDefault = 0x1337133713371337ull;
  std::uint64_t seed = job.randseed != 0 ? job.randseed : kDefault;
  if (!job.randrepeat && job.randseed == 0 &&
      ::getrandom(&seed, sizeof seed, GRND_NONBLOCK) == static_cast<ssize_t>(sizeof seed))
    return seed;
  std::uint64_t state = seed + (std::uint64_t{job_index} + 1) * 0xd1342543de82ef95ull;
  return base::splitmix64(state);
}

}  // namespace fathom::workload
