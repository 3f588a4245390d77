// Workers: process or thread, which CPUs, and which jobs wait for which.
#include "base/parse.h"
#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr std::int64_t kLargestCpu = 65535;

Outcome bad_cpu(std::string_view text, std::string cause) {
  return Problem{"not a list of CPUs", std::move(cause), "write CPU numbers and ranges: `cpus_allowed=0,2-5`", text,
                 base::ErrorKind::usage};
}

Outcome read_cpus(Draft& draft, const Option&, std::string_view value) {
  std::vector<int> cpus;
  for (const auto part : split(value, ',')) {
    const std::size_t dash = part.find('-', 1);
    const auto low = base::parse_int(part.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : base::parse_int(part.substr(dash + 1));
    if (!low || !high) return bad_cpu(part, low ? high.error().what : low.error().what);
    if (*low < 0 || *high > kLargestCpu) return bad_cpu(part, "a CPU's number is between 0 and 65535");
    if (*low > *high) return bad_cpu(part, "the range runs backwards");
    for (auto cpu = *low; cpu <= *high; ++cpu) cpus.push_back(static_cast<int>(cpu));
    if (cpus.size() > static_cast<std::size_t>(2 * kLargestCpu)) return bad_cpu(part, "too many CPUs");
  }
  draft.job.cpus_allowed = std::move(cpus);
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
