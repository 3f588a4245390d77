// Reads from devices without data. A device that was never written, or was trimmed, answers from its block table: at
// any rate, its medium was not read. Some blocks are read before the run; if many are zeros, a finding reports it.
// Thread rule: the main thread, while nothing of the run is active.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/witnesses/facts.h"
#include "result/finding.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// Observations of a device before the run.
struct BlankFacts {
  std::string job, device;
  std::uint64_t samples = 0, zeros = 0;  // blocks that were read, and how many of these were zeros
  bool can_drop_blocks = false;
  bool written_meanwhile = false;  // by a job of the same stage
  bool trims = false;              // and has no other I/O
};
std::optional<result::Finding> blank_finding(const BlankFacts& facts);

// For block devices that jobs read or only trim, and that no earlier stage writes. Reads at most 32 blocks of each for
// at most 0.2 s, past the page cache. facts: one of jobs[] for each plan, in order, with the holes of its files.
std::vector<result::Finding> blank_targets(const std::vector<run::files::Plan>& plans,
                                           const audit::witnesses::Facts& facts);

}  // namespace fathom::witness::targets
