// pre_read=1: what a job is going to touch is read into the page cache before it starts, through the page cache even
// where the job goes past it.
#pragma once
#include <atomic>

#include "run/targets.h"

namespace fathom::run {

// Ends early when *stop is set.
base::Expected<void> pre_read(const Plan& plan, const std::atomic<std::uint32_t>& stop);

}  // namespace fathom::run
