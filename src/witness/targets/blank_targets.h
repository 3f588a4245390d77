// Devices that are read and hold nothing: one that was never written, or was trimmed, answers from its table of blocks,
// and whatever the rate is, its medium was not read. Some blocks are read before the run; where all are zeros, that is
// said. Thread rule: the main thread; nothing of the run is at work.
#pragma once
#include <vector>

#include "result/finding.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// Of block devices that jobs read and none writes. Reads at most kMostSamples blocks of each, past the page cache.
std::vector<result::Finding> blank_targets(const std::vector<run::files::Plan>& plans);

}  // namespace fathom::witness::targets
