// The files of all jobs, one job after the other; those with create_serialize=0 at the same time as the others, unless
// they have a file in common with another job.
#pragma once
#include <optional>
#include <vector>

#include "run/files/layout.h"

namespace fathom::run::files {

// By job; none: it was not tried, because its plan has failed or *stop is set. The listener hears one at a time, of any
// thread.
std::vector<std::optional<base::Expected<LaidOut>>> lay_out_jobs(std::vector<Plan>& plans,
                                                                 const LayoutListener& listener,
                                                                 const std::atomic<std::uint32_t>& stop,
                                                                 const DescriptorLook& look);

}  // namespace fathom::run::files
