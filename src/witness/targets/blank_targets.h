// Devices that are read and hold nothing: one that was never written, or was trimmed, answers from its table of blocks,
// and whatever the rate is, its medium was not read. Some blocks are read before the run; where many are zeros, that is
// said. Thread rule: the main thread; nothing of the run is at work.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/witnesses/facts.h"
#include "result/finding.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// What was seen of a device before the run.
struct BlankFacts {
  std::string job, device;
  std::uint64_t samples = 0, zeros = 0;  // blocks that were read, and of these
  bool can_drop_blocks = false;
  bool written_meanwhile = false;  // by a job of the same stage
  bool trims = false;              // and does nothing else
};
std::optional<result::Finding> blank_finding(const BlankFacts& facts);

// Of block devices that jobs read or only trim, and no earlier stage writes. Reads at most 32 blocks of each, past the page cache.
// facts: one of jobs[] for each plan, in order, with the holes of its files.
std::vector<result::Finding> blank_targets(const std::vector<run::files::Plan>& plans,
                                           const audit::witnesses::Facts& facts);

}  // namespace fathom::witness::targets
