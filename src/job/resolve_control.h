// Limits, waits, rates and zones of jobs, as far as they depend on each other.
#pragma once
#include "base/error.h"
#include "job/draft.h"

namespace fathom::job {

base::Expected<void> resolve_control(Draft& draft, const Assignment& section);

// read_iolog=: notes the options that a replay takes from its trace instead, and resets their values. Call it first.
base::Expected<void> resolve_replay(Draft& draft, const Assignment& section);

// wait_for=: finds the job among those before it, which are complete.
base::Expected<void> find_waitee(Draft& draft, const Assignment& section, const std::vector<Job>& before);

// Checks options that must be equal in all jobs of one report group.
base::Expected<void> check_group(const Draft& draft, const Assignment& section, int group,
                                 const std::vector<Job>& before);

// zonemode= and its options: decides and checks what does not depend on the targets.
base::Expected<void> resolve_zones(Draft& draft, const Assignment& section);
// Replaces sizes that are given as a number of zones (size=4z) by bytes.
void count_zones_as(std::uint64_t zone_bytes, Job& job);
// The option that is given as a number of zones; nullptr: none.
const char* option_in_zones(const Job& job);

}  // namespace fathom::job
