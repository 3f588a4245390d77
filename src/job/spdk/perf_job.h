// Converts `fathom nvme perf`'s options to those of a job. Pure, so that the job can be shown and tested before a
// device is opened. perf has no separate loop; `fathom nvme perf --showcmd` prints the job.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::job::spdk {

using Arguments = std::vector<std::string>;
// Joins device names to one value of filename=; Error: an invalid name. The driver defines device names.
using JoinDevices = std::function<base::Expected<std::string>(const Arguments& names)>;

// Options of perf -> arguments of `fathom run`. `--device` is removed. All others are job or command options, and
// follow perf's own settings unchanged, so that they override these.
base::Expected<Arguments> perf_job(std::span<const std::string> args, const JoinDevices& join);

}  // namespace fathom::job::spdk
