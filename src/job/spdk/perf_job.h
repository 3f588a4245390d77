// `fathom nvme perf`'s options as the words of a job: pure, so that what is run can be read, and tested, before anything
// is opened. perf has no loop of its own; `fathom nvme perf --showcmd` prints the job.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::job::spdk {

using Arguments = std::vector<std::string>;
// Names of devices to one value of filename=, or what is wrong with one. How devices are named is the driver's.
using JoinDevices = std::function<base::Expected<std::string>(const Arguments& names)>;

// Options of perf -> arguments of `fathom run`. `--device` is taken out, everything else is a job or command option and
// stays as it was written, after perf's own settings, which it overrides.
base::Expected<Arguments> perf_job(std::span<const std::string> args, const JoinDevices& join);

}  // namespace fathom::job::spdk
