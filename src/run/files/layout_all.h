// Lays out the files of all jobs, one job after the other. Jobs with create_serialize=0 are handled in parallel with
// the others, unless they share a file with another job.
#pragma once
#include <optional>
#include <vector>

#include "run/files/layout.h"

namespace fathom::run::files {

// Results by job; empty: not tried, because the plan failed or *stop is set. Any thread calls the listener, one at a
// time.
std::vector<std::optional<base::Expected<LaidOut>>> lay_out_jobs(std::vector<Plan>& plans,
                                                                 const LayoutListener& listener,
                                                                 const std::atomic<std::uint32_t>& stop,
                                                                 const DescriptorLook& look);

}  // namespace fathom::run::files
