// Creates and saves verify states.
#include "run/verify_states.h"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "base/text/printable.h"
#include "job/fields/verify.h"
#include "result/findings/rows.h"
#include "run/checks/verify_plan.h"
#include "run/files/open_files.h"
#include "run/workers.h"
#include "verify/state/state_name.h"

namespace fathom::run {
namespace {

using verify::state::LiveState;
using verify::state::OwnRun;

std::vector<io::Target> targets_of(const files::Plan& plan) {
  std::vector<io::Target> targets;
  for (const auto& planned : plan.targets) {
    io::Target target;
    target.path = planned.path;
    target.start = planned.start;
    target.length = planned.length;
    targets.push_back(target);
  }
  return targets;
}

verify::state::LiveJob live_job(const files::Plan& plan, std::size_t index) {
  const auto targets = targets_of(plan);
  verify::state::LiveJob job;
  job.name = plan.job.name;
  job.index = index;
  job.version = plan.job.of<job::fields::VerifyOptions>().format == job::fields::VerifyFormat::fio_3_33
                    ? verify::state::kStateOfFio333
                    : verify::state::kStateOfFio342;
  job.generation = plan.generation;
  if (checks::writes_each_place_once(plan.job, targets)) job.flags |= OwnRun::kOnce;
  job.flags |= std::uint64_t{checks::order_hash(plan.job, targets)} << OwnRun::kOrderShift;
  // If other jobs write the same places, no state shows which write was the last.
  if (plan.others_write_there) job.flags |= OwnRun::kOrderUnknown;
  job.depth = plan.job.iodepth;
  job.files = static_cast<std::uint32_t>(targets.size());
  return job;
}

bool asked_for(const files::Plan& plan) { return plan.job.of<job::fields::VerifyOptions>().state_save == true; }

}  // namespace

bool keeps_state(const files::Plan& plan) {
  const auto& job = plan.job;
  return job.verify && job.mode.writes && job.changes_targets() && !job.depth_per_file && !plan.targets.empty() &&
         job.of<job::fields::VerifyOptions>().state_save.value_or(true);
}

std::string state_name(const files::Plan& plan, std::size_t index) {
  return verify::state::state_file_name(plan.job.name, index, plan.job.of<job::fields::VerifyOptions>().aux_path);
}

LiveState* VerifyStates::begin(const files::Plan& plan, std::size_t index) {
  if (!keeps_state(plan)) return nullptr;
  const auto path = state_name(plan, index);
  const auto job = live_job(plan, index);
  auto in_file = LiveState::in_file(verify::state::live_file_name(path), job);
  if (in_file) return keep(index, {std::move(*in_file), path, false});
  auto in_memory = LiveState::in_memory(job);
  if (in_memory) return keep(index, {std::move(*in_memory), path, in_file.error().sys_errno == EBUSY});
  tell(plan, {}, in_memory.error());
  return nullptr;
}

LiveState* VerifyStates::keep(std::size_t index, Kept kept) {
  kept_.erase(index);
  return &kept_.emplace(index, std::move(kept)).first->second.live;
}

base::Expected<void> VerifyStates::save(const Kept& kept) {
  if (!kept.shared) return verify::state::save_state(kept.path, kept.live.snapshot());
  base::Error error = base::system_error("open state file", EBUSY);
  error.cause = "state file: " + base::text::printable(kept.path) + " (for_write=1); another active run uses it";
  return error;
}

void VerifyStates::tell(const files::Plan& plan, const std::string& left_in, const base::Error& error) {
  const std::string left = left_in.empty() ? "" : fmt::format("; {} has it", base::text::printable(left_in));
  findings_.push_back(result::findings::found(
      "verify.state_not_saved",
      {.job = plan.job.name, .values = {{"cause", error.what + ": " + error.cause}, {"left", left}}}));
}

void VerifyStates::save_running(const std::vector<Worker>& members) {
  for (const auto& [index, kept] : kept_)
    if (const auto& m = members[index]; !m.ended)
      if (auto saved = save(kept); !saved) tell(*m.plan, kept.live.path(), saved.error());
}

void VerifyStates::save_ended(std::vector<Worker>& members, std::size_t first, std::size_t last,
                              const std::function<void(Worker&, base::Error)>& failed) {
  for (auto at = kept_.lower_bound(first); at != kept_.end() && at->first < last; at = kept_.erase(at)) {
    Worker& m = members[at->first];
    Kept& kept = at->second;
    const bool wrote = kept.live.issued().load() > 0;
    auto saved = wrote ? save(kept) : base::Expected<void>();
    if (saved.ok()) kept.live.remove();
    if (saved.ok()) continue;
    if (!asked_for(*m.plan)) {
      tell(*m.plan, kept.live.path(), saved.error());
      continue;
    }
    if (!kept.live.path().empty()) saved.error().help = base::text::printable(kept.live.path()) + " has it";
    failed(m, std::move(saved.error()));
  }
}

}  // namespace fathom::run
