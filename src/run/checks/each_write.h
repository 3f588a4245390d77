// The writes and trims of a job in their order, generated again from its seed, for a map of the last write at each
// place (versions.h). Thread rule: none; a stream per call.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "io/request.h"
#include "io/target.h"
#include "job/job.h"
#include "workload/stream.h"

namespace fathom::run::checks {

// Calls use(request, number) for each write, and trimmed(request) for each trim. It stops at the first write that was
// not issued. Returns the number of writes; fewer than `issued` if the job has no more.
template <class Use, class Trimmed>
std::uint64_t each_write(const job::Job& job, std::uint32_t job_index, std::span<const io::Target> targets,
                         std::uint64_t issued, Use use, Trimmed trimmed) {
  workload::Stream stream(job, targets, job_index);
  std::vector<io::Request> block(workload::Source::kBlock);
  for (std::uint64_t number = 0;;) {
    std::size_t made = stream.next(block);
    if (made == 0 && stream.begin_pass()) made = stream.next(block);
    if (made == 0) return number;
    for (std::size_t i = 0; i < made; ++i) {
      if (block[i].dir == io::Dir::trim) trimmed(block[i]);
      if (block[i].dir != io::Dir::write) continue;
      if (number == issued) return number;
      use(block[i], number++);
    }
  }
}

}  // namespace fathom::run::checks
