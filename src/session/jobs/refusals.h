// What is refused before any job begins: writing where it would destroy data that nobody named, and under
// --warnings-fatal what has no effect. Thread rule: the main thread.
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

// The words that were given; and those for a character device again for the block device behind it.
std::set<std::string> allowed_entries(const std::vector<run::files::Plan>& plans, const job::Command& command);

// Nobody's data is destroyed unless its device is named. The option allow_mounted_write lifts what it lifts in fio, and
// for a program called fio only: under its own name fathom wants the word at the device.
base::Expected<void> look_at_targets(host::guards::WriteGuard& guard, host::placement::Placements& placements,
                                     const std::vector<run::files::Plan>& plans, const job::Command& command,
                                     bool fio_mode);

// --warnings-fatal: what a finding would say of a job's options.
std::optional<base::Error> fatal_warning(const job::Command& command);

}  // namespace fathom::session::jobs
