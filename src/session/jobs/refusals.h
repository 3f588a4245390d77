// Refusals before any job begins: a write that would destroy data on a target that the user did not name, and, with
// --warnings-fatal, an option without effect. Thread rule: the main thread.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/guards/guard.h"
#include "host/placement/placement.h"
#include "job/command.h"
#include "run/runner.h"

namespace fathom::session::jobs {

// The given entries; an entry for a character device is added again for the block device behind it.
std::set<std::string> allowed_entries(const std::vector<run::files::Plan>& plans, const job::Command& command);

// Refuses a job that would destroy data on a device that the user did not name. allow_mounted_write permits what it
// permits in fio, but only for a program called fio: under its own name, fathom requires the device to be named.
base::Expected<void> look_at_targets(host::guards::WriteGuard& guard, host::placement::Placements& placements,
                                     const std::vector<run::files::Plan>& plans, const job::Command& command,
                                     bool fio_mode);

// --warnings-fatal: the first warning about a job's options as an error.
std::optional<base::Error> fatal_warning(const job::Command& command);

}  // namespace fathom::session::jobs
