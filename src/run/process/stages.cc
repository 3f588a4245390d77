// Divides jobs into stages. Files are compared by their resolved names, so different links to one file are recognized.
#include "run/process/stages.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "job/fields/files.h"
#include "job/fields/start.h"

namespace fathom::run::process {

std::string own_name(const std::string& path) {
  constexpr int kMostLinks = 8;
  std::error_code unknown;
  auto at = std::filesystem::absolute(path, unknown);
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(at, unknown); ++i)
    at = at.parent_path() / std::filesystem::read_symlink(at, unknown);  // an absolute link replaces the path
  const auto folder = std::filesystem::weakly_canonical(at.parent_path(), unknown);
  return unknown ? path : (folder / at.filename()).string();
}

void EarlierJobs::next(const job::Job& job) {
  if (section_ >= 0 && job.stonewall && job.section != section_) ++stage_;
  section_ = job.section;
  over_.clear();
  if (const int waited = job.of<job::fields::Start>().wait_section; waited >= 0) {
    over_ = waits_[waited];
    over_.insert(waited);
  }
  waits_[section_] = over_;
}

files::MadeBefore EarlierJobs::of(const std::string& path) const {
  files::MadeBefore before;
  if (made_.empty()) return before;
  const auto known = made_.find(own_name(path));
  if (known == made_.end()) return before;
  for (const auto& made : known->second) {
    if (is_over(made) && made.removes) {
      before = {};
      continue;
    }
    before.size = std::max(before.size, made.size);
    before.written |= made.writes && is_over(made);
    before.open_ended |= made.open_ended && is_over(made);
  }
  return before;
}

void EarlierJobs::add(const files::Plan& plan) {
  const auto& job = plan.job;
  for (const auto& t : plan.targets) {
    if (t.kind != io::TargetKind::regular) continue;
    const bool made_later = job.of<job::fields::FileOptions>().create_on_open && !t.exists;
    const bool open_ended = t.read_again || made_later || files::fills_device(job, t);
    made_[own_name(t.path)].push_back({open_ended ? t.size_then : t.size_needed, job.mode.writes, job.unlink,
                                       open_ended && job.mode.writes, job.section, stage_});
  }
}

}  // namespace fathom::run::process
