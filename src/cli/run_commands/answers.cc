// Answers that need only the command line.
#include "cli/run_commands/answers.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "base/files/input_file.h"
#include "cli/clock_commands/clock_test.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/run_commands/program_name.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "clock/cores/cross_core.h"
#include "run/logs/log_samples.h"
#include "run/process/foresee.h"
#include "run/process/idle_profile.h"
#include "session/jobs/refusals.h"

namespace fathom::cli::run_commands {
namespace {

// --inflate-log. A log may have one line per I/O.
base::Expected<std::string> inflated(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 30;
  const auto stored = base::files::read_input("log", path, kMostBytes);
  if (!stored) return stored.error();
  auto text = run::logs::inflate_log(*stored);
  if (!text) text.error().what = path + ": " + text.error().what;
  return text;
}

// Answers that are a text.
std::optional<base::Expected<std::string>> text_of(const job::Command& command, bool fio_mode) {
  if (command.version) return fio_mode ? std::string(kFioVersion) + "\n" : version_line() + "\n";
  if (command.help) return run_help(fio_mode);
  if (command.cmdhelp) return job::option_help(command.cmdhelp->empty() ? "all" : *command.cmdhelp);
  if (command.enghelp) return engine_help(*command.enghelp);
  if (command.inflate_log) return inflated(*command.inflate_log);
  if (command.showcmd) {
    std::string out;
    for (const auto& line : command.showcmd_lines) out += line + "\n";
    return out;
  }
  return std::nullopt;
}

// Only the unit of work, in fio's words.
int calibrate_idleness() {
  const auto idle = run::process::IdleProfile(clock::cores::usable_cpus()).calibrated();
  write_text(stdout, fmt::format("CPU idleness:\n  unit work: mean={:3.2f}us, stddev={:3.2f}\n", idle.unit_mean_us,
                                 idle.unit_stddev_us));
  return kOk;
}

}  // namespace

std::optional<base::Expected<int>> answer(job::Command& command, bool fio_mode) {
  if (const auto text = text_of(command, fio_mode)) {
    if (!*text) return text->error();
    write_text(stdout, **text);
    return kOk;
  }
  if (command.cpuclock_test) return clock_commands::cpuclock_test();
  if (command.explain_compat) {
    auto& explanation = command.explanation;
    if (explanation.would_run) job::values::add_foreseen(explanation, run::process::foresee(command.jobs));
    write_text(stdout, job::values::explanation_text(explanation));
    return explanation.would_run ? kOk : fio_mode ? kFioFailed : kUsage;
  }
  if (command.idle_prof == job::Command::IdleProf::calibrate) return calibrate_idleness();
  if (const auto warning = session::jobs::fatal_warning(command)) return *warning;
  if (!command.parse_only) return std::nullopt;
  if (!fio_mode)  // fio's scripts take any word on standard error for a refusal
    for (const auto& error : run::process::foresee(command.jobs)) show_warning(error, program_name(fio_mode));
  return kOk;
}

}  // namespace fathom::cli::run_commands
