// Counts the queues of a stage by target.
#include "run/process/queue_limits.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "job/fields/start.h"
#include "run/process/stages.h"

namespace fathom::run::process {
namespace {

struct Holder {
  std::uint32_t queues = 0;
  std::string job;
};

base::Error too_many_queues(const job::Job& job, const files::PlannedTarget& t, const std::string& holder) {
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = fmt::format("job `{}` is one connection too many for `{}`", job.name, t.path);
  e.cause = fmt::format("the target permits {} at the same time, and job `{}` has {}", t.abilities.most_queues, holder,
                        t.abilities.most_queues == 1 ? "it" : "one");
  e.help =
      "write `stonewall` or `numjobs=1` and a larger iodepth=, or let the server offer multi-conn "
      "(qemu-nbd --shared=N)";
  e.place = job.place;
  return e;
}

}  // namespace

void limit_queues(std::vector<files::Plan>& plans) {
  for (std::size_t first = 0; first < plans.size(); first = stage_end(plans, first)) {
    std::map<std::string, Holder> holders;
    for (std::size_t i = first; i < stage_end(plans, first); ++i) {
      auto& plan = plans[i];
      if (plan.failed || plan.job.of<job::fields::Start>().wait_section >= 0) continue;
      for (const auto& t : plan.targets) {
        if (t.abilities.most_queues == 0) continue;
        auto& holder = holders[t.path];
        if (holder.queues++ < t.abilities.most_queues) {
          holder.job = plan.job.name;
          continue;
        }
        plan.failed = too_many_queues(plan.job, t, holder.job);
        plan.targets.clear();
        break;
      }
    }
  }
}

}  // namespace fathom::run::process
