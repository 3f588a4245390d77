// Targets, logs, buffers in files, states, the trigger's file.
#include "cli/run_commands/named_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/files/identity.h"
#include "base/files/place.h"
#include "base/text/printable.h"
#include "job/fields/replay.h"
#include "run/logs/aggregate_log.h"
#include "run/runner.h"
#include "verify/state/state_file.h"

namespace fathom::cli::run_commands {
namespace {

// Existing files that would be overwritten are refused before the run. If a job cannot write a file, only that job
// fails, when it opens the file.
base::Expected<void> look_at_written(const run::WrittenFile& file, report_commands::Outputs& outputs) {
  using Keeps = run::WrittenFile::Keeps;
  const bool of_a_job = !file.option.starts_with("--");
  std::error_code unknown;
  if (file.keeps == Keeps::all || (of_a_job && !std::filesystem::is_regular_file(file.path, unknown)))
    return outputs.named.claim(file.option, file.path, base::files::identity_of(file.path));
  const bool overwrites = outputs.overwrite || file.keeps == Keeps::nothing;
  const auto ours = file.keeps == Keeps::all_but_states ? verify::state::is_state : nullptr;
  const auto place = base::files::look_at({file.option, file.path, ours, overwrites, true}, outputs.named);
  if (place) return report_commands::keep_image(*place);
  return of_a_job && place.error().kind != base::ErrorKind::refused ? base::Expected<void>() : place.error();
}

// The run would remove an existing trigger file and end at once.
base::Expected<void> check_trigger(const std::string& file) {
  if (::access(file.c_str(), F_OK) != 0) return {};
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = fmt::format("--trigger-file: `{}` already exists", base::text::printable(file));
  e.cause = "the run would remove the file and end at once";
  e.help = "remove the file, or name one that does not exist";
  return e;
}

// True: the job may change the target's bytes, its length or its existence.
bool changes(const run::files::Plan& plan, const run::files::PlannedTarget& target) {
  return plan.job.mode.writes || plan.job.mode.trims || plan.job.unlink ||
         io::traits_of(plan.job.ioengine).reads_change || (target.exists && target.size_needed > target.size_now);
}

}  // namespace

base::Expected<void> name_files(const std::vector<run::files::Plan>& plans, const job::Command& command, bool fio_mode,
                                report_commands::Outputs& outputs) {
  for (const auto& plan : plans)
    for (const auto& trace : plan.job.of<job::fields::Replay>().traces)
      if (!run::files::is_standard(trace))
        outputs.named.add(fmt::format("the trace of job `{}`", plan.job.name), base::files::identity_of(trace));
  const auto inputs = outputs.named;
  auto written = run::written_files(plans);
  for (const auto& plan : plans)
    for (const auto& target : plan.targets) {
      if (run::files::is_standard(target.path)) continue;
      const auto as = fmt::format("a target of job `{}`", plan.job.name);
      const auto identity = base::files::identity_of(target.path);
      if (changes(plan, target) && !fio_mode)
        if (auto ok = inputs.check(as, target.path, identity); !ok) return ok;
      outputs.named.add(as, identity);
    }
  if (command.bandwidth_log)
    for (auto& path : run::logs::aggregate_log_names(*command.bandwidth_log))
      written.push_back({"--bandwidth-log", std::move(path)});
  if (!command.trigger_file.empty() && !fio_mode) {
    if (auto ok = check_trigger(command.trigger_file); !ok) return ok;
    written.push_back({"--trigger-file", command.trigger_file, run::WrittenFile::Keeps::all});
  }
  for (const auto& file : written)
    if (auto ok = look_at_written(file, outputs); !ok) return ok;
  return {};
}

}  // namespace fathom::cli::run_commands
