// Files by their path, as each job names them.
#include "run/process/stages.h"

#include <algorithm>

#include "job/fields/start.h"

namespace fathom::run::process {

void EarlierJobs::next(const job::Job& job) {
  if (section_ >= 0 && job.stonewall && job.section != section_) ++stage_;
  section_ = job.section;
  waits_for_ = job.of<job::fields::Start>().wait_section;
}

files::MadeBefore EarlierJobs::of(const std::string& path) const {
  files::MadeBefore before;
  const auto known = made_.find(path);
  if (known == made_.end()) return before;
  for (const auto& made : known->second) {
    if (is_over(made) && made.removes) {
      before = {};
      continue;
    }
    before.size = std::max(before.size, made.size);
    before.written |= made.writes && is_over(made);
  }
  return before;
}

void EarlierJobs::add(const files::Plan& plan) {
  for (const auto& t : plan.targets) {
    if (t.kind != io::TargetKind::regular) continue;
    const bool ends_known = !t.read_again && !files::fills_device(plan.job, t);
    made_[t.path].push_back(
        {ends_known ? t.size_needed : t.size_then, plan.job.mode.writes, plan.job.unlink, plan.job.section, stage_});
  }
}

}  // namespace fathom::run::process
