// `fathom nvme perf`'s flags as the words of a job: pure, so that what is run can be read, and tested, before anything
// is opened. perf has no loop of its own; `fathom nvme perf --showcmd` prints the job.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::cli::nvme_commands {

using Words = std::vector<std::string>;

// The devices as one value of filename=. A `soft` named again is another controller (soft:id=2); any other device named
// twice is ErrorKind::usage.
base::Expected<std::string> join_devices(const Words& names);

// Flags of perf -> arguments of `fathom run`. `--device` is taken out, everything else is a job or command option and
// stays as it was written, after perf's own settings, which it overrides.
base::Expected<Words> perf_words(std::span<const std::string> args);

// SPDK's short forms -> flags of perf. `here`: the PCI addresses that vfio-pci has, for a call without -r. What is
// understood and has no effect is added to `notes`.
base::Expected<Words> spdk_words(std::span<const std::string> args, const std::function<Words()>& here, Words& notes);

}  // namespace fathom::cli::nvme_commands
