// Turns the notes of workers and jobs into findings.
#include "run/outcome/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "job/fields/least_rate.h"
#include "job/fields/submit.h"
#include "result/findings/rows.h"
#include "result/sums/same_findings.h"

namespace fathom::run::outcome {

using result::findings::found;

namespace {

// filename=a:b, which may be meant as one name; of devices that no file stands for, the engine splits the names.
std::string read_as_several(const files::Plan& plan) {
  const auto& place = plan.job.filename_place;
  if (!place || plan.targets.size() < 2 || engine::targets_of(plan.job.ioengine) != nullptr) return "";
  const std::string_view line = place->line_text;
  const auto begin = std::min(line.size(), static_cast<std::size_t>(std::max(1, place->column)) - 1);
  const auto written = line.substr(begin, static_cast<std::size_t>(std::max(0, place->length)));
  if (written.find(':') == written.npos) return "";
  std::vector<std::string> names;
  for (const auto& target : plan.targets) names.push_back(target.path);
  return fmt::format("filename={} is {} files, {}: `:` separates names, and `\\:` is a colon in a name", written,
                     names.size(), result::sums::jobs_text(names));
}

}  // namespace

void add_notes(const Worker& m, result::Run& run) {
  const auto& job = m.plan->job;
  const auto add = [&](const char* id, std::vector<result::FindingValue> values = {}, std::string_view variant = "") {
    run.findings.push_back(found(id, {.variant = variant, .job = job.name, .values = std::move(values)}));
  };
  if (m.record->ended_in_ramp) add("run.ended_in_ramp");
  if (m.record->prerun_status != 0) add("run.left_out", {{"status", m.record->prerun_status}});
  if (m.record->without_map) add("run.without_random_map");
  if (m.record->measured.clock_steps_back > 0)
    add("clock.stepped_back", {{"ios", m.record->measured.clock_steps_back}});
  if (!m.plan->failed &&
      std::all_of(m.plan->targets.begin(), m.plan->targets.end(), [](const auto& t) { return t.length == 0; }))
    add("run.empty_window");
  const auto paced = [&](std::size_t d) { return job.rate_iops[d] != 0 || job.rate_bytes_per_s[d] != 0; };
  if (job.mode.reads && job.mode.writes && paced(0) != paced(1)) add("rate.one_direction");
  for (const auto& note : m.record->replay.notes)
    if (note[0] != 0) add("replay.assumed", {{"text", note}});
  if (m.record->by_state[0] != 0) add("verify.by_state", {{"state", m.record->by_state}});
  for (const auto& note : m.record->note) {
    if (note[0] == 0) continue;
    // A note with a command in backticks already contains its help.
    const bool mends = std::string_view(note).find("`fathom ") != std::string_view::npos;
    add("engine.fallback", {{"note", note}}, mends ? "command" : "");
  }
}

void add_zone_findings(const std::vector<gates::ZoneDifference>& devices, result::Run& run) {
  for (const auto& device : devices) {
    if (device.different == 0) continue;
    run.findings.push_back(found("zones.write_pointer", {.values = {{"target", device.path},
                                                                    {"different", device.different},
                                                                    {"zones", device.zones},
                                                                    {"start", device.start},
                                                                    {"expected", device.expected_wp - device.start},
                                                                    {"seen", device.seen_wp - device.start}}}));
  }
}

void add_option_findings(const std::vector<files::Plan>& plans, result::Run& run) {
  int section = -1;
  for (const auto& plan : plans) {
    if (plan.job.section == section) continue;
    section = plan.job.section;
    for (const auto& name : plan.job.ignored)
      run.findings.push_back(found("option.ignored", {.job = plan.job.name, .values = {{"option", name}}}));
    if (!plan.targets.empty() && !plan.targets[0].about.empty())
      run.findings.push_back(
          found("engine.library",
                {.job = plan.job.name, .values = {{"engine", plan.job.ioengine}, {"about", plan.targets[0].about}}}));
    auto notes = plan.job.notes;
    if (auto several = read_as_several(plan); !several.empty()) notes.push_back(std::move(several));
    for (const auto& note : notes)
      run.findings.push_back(found("option.reading", {.job = plan.job.name, .values = {{"reading", note}}}));
  }
}

void add_least_rate(const job::Job& job, const result::Job& measured, result::Run& run) {
  constexpr const char* kNames[result::kDirs] = {"read", "write", "trim"};
  constexpr double kMiB = 1 << 20;
  const auto& least = job.of<job::fields::LeastRate>();
  if (!least.any() || measured.error != 0 || measured.interrupted) return;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = measured.dirs[d];
    if (dir.ios == 0 || dir.runtime_ns == 0) continue;
    const double s = static_cast<double>(dir.runtime_ns) / 1e9;
    const auto judge = [&](const char* option, const char* unit, double minimum, double achieved) {
      if (achieved >= minimum) return;
      run.findings.push_back(
          found("rate.below_minimum", {.job = job.name,
                                       .values = {{"direction", kNames[d]},
                                                  {"achieved", achieved},
                                                  {"unit", unit},
                                                  {"minimum", minimum},
                                                  {"option", option}},
                                       .effect = result::Effect{result::EffectOn::time, 1 - achieved / minimum}}));
    };
    judge("rate_iops_min", "IOPS", static_cast<double>(least.iops[d]), static_cast<double>(dir.ios) / s);
    judge("rate_min", "MiB/s", static_cast<double>(least.bytes_per_s[d]) / kMiB,
          static_cast<double>(dir.bytes) / s / kMiB);
  }
}

void add_stamp_findings(const std::vector<files::Plan>& plans, result::Run& run) {
  int section = -1;
  for (const auto& plan : plans) {
    if (!plan.job.of<job::fields::Submit>().offload || plan.job.section == section) continue;
    section = plan.job.section;
    run.findings.push_back(found("run.no_stamps", {.job = plan.job.name}));
  }
}

}  // namespace fathom::run::outcome
