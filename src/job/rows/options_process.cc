// Workers: process or thread, their CPUs, and the jobs that wait for others.
#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "job/fields/cpus.h"
#include "job/fields/start.h"
#include "job/option.h"

namespace fathom::job {
namespace {

Outcome read_cpus(fields::Cpus& cpus, const Value& value) {
  const auto list = base::system::parse_cpu_list(value.text);
  if (!list.ok())
    return wrong("not a list of CPUs", list.cause, "write CPU numbers and ranges: `cpus_allowed=0,2-5`",
                 base::text::trim(list.wrong));
  cpus.allowed = list.written();
  return {};
}

constexpr Choice kCpuPolicies[] = {{"shared", 0, "every copy may run on all of the CPUs"},
                                   {"split", 1, "each copy gets one of the CPUs"}};

constexpr Row kProcessRows[] = {
    flag<&Job::thread>({"thread threads", "", "Run the job as a thread, not a process"}),
    special<read_cpus>({"cpus_allowed", "", "CPUs that the job may run on"}, Type::list),
    choice<&fields::Cpus::split>({"cpus_allowed_policy", "shared", "Distribution of cpus_allowed over copies"},
                                 kCpuPolicies),
    flag<&Job::stonewall>(
        {"stonewall wait_for_previous", "", "Wait until every earlier job has ended; start a new group"}),
    text<&fields::Start::wait_for>({"wait_for", "", "Start when the named earlier job has ended"}),
    flag<&Draft::new_group>({"new_group", "", "Start a new group for reporting"}),
};

}  // namespace

std::span<const Row> process_options() { return kProcessRows; }

}  // namespace fathom::job
