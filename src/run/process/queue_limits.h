// Targets that permit only some queues at the same time: a network server without support for several connections.
// Thread rule: any thread.
#pragma once
#include <vector>

#include "run/files/targets.h"

namespace fathom::run::process {

// A job that would open one queue too many on a target, together with the other jobs of its stage, becomes a failed job.
// A job with wait_for= is not counted: others of its stage end before it begins.
void limit_queues(std::vector<files::Plan>& plans);

}  // namespace fathom::run::process
