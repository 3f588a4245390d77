// Workers: process or thread, which CPUs, and which jobs wait for which.
#include "base/cpu_list.h"
#include "job/rows.h"

namespace fathom::job {
namespace {

Outcome read_cpus(Draft& draft, const Option&, std::string_view value) {
  const auto list = base::parse_cpu_list(value);
  if (!list.ok())
    return Problem{"not a list of CPUs", list.cause, "write CPU numbers and ranges: `cpus_allowed=0,2-5`", list.wrong,
                   base::ErrorKind::usage};
  draft.job.cpus_allowed = list.written();
  return {};
}

constexpr Choice kPolicies[] = {{"shared", 0, "every copy may run on all of them"},
                                {"split", 1, "each copy gets one of them"}};

constexpr Option kRows[] = {
    flag<&Job::thread>({.name = "thread", .aliases = {"threads"}, .help = "A job is a thread, not a process"}),
    special({.name = "cpus_allowed", .help = "CPUs that the job may run on"}, Type::list, read_cpus),
    choice<&Job::cpus_split>(
        {.name = "cpus_allowed_policy", .fallback = "shared", .help = "How copies share cpus_allowed"}, kPolicies),
    flag<&Job::stonewall>({.name = "stonewall",
                           .aliases = {"wait_for_previous"},
                           .help = "Wait until every job before this one has ended; starts a new group"}),
    flag<&Draft::new_group>({.name = "new_group", .help = "Starts a new group for reporting"}),
    flag<&Job::exitall>({.name = "exitall", .help = "When this job ends, all others end too"}),
};

}  // namespace

std::span<const Option> process_options() { return kRows; }

}  // namespace fathom::job
