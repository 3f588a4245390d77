// `fathom run`, in the order of the data flow: parse, prepare (session/jobs.h), open the outputs, execute, report.
#include "cli/run_commands/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/history_commands/keep.h"
#include "cli/report_commands/job_files.h"
#include "cli/report_commands/report_file.h"
#include "cli/run_commands/answers.h"
#include "cli/run_commands/listener.h"
#include "cli/run_commands/named_files.h"
#include "cli/run_commands/output.h"
#include "cli/run_commands/program_name.h"
#include "cli/run_commands/status.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "report/formats.h"
#include "result/measured.h"
#include "result/sums/checks.h"
#include "session/jobs.h"
#include "session/jobs/debug_lines.h"

namespace fathom::cli::run_commands {
namespace {

int failed_jobs(const result::Run& run) {
  int failed = 0;
  for (const auto& job : run.jobs) failed += job.members == 1 && job.error != 0 ? 1 : 0;
  for (const auto& job : run.group_members) failed += job.error != 0 ? 1 : 0;
  for (const auto& repetition : run.repetitions) failed = std::max(failed, failed_jobs(repetition));
  return failed;
}

// True if a missing privilege caused all errors. nullopt: no errors.
std::optional<bool> all_of_privilege(const result::Run& run) {
  std::optional<bool> all;
  for (const auto& e : run.errors) all = all.value_or(true) && (e.err == EACCES || e.err == EPERM);
  for (const auto& repetition : run.repetitions)
    if (const auto these = all_of_privilege(repetition)) all = all.value_or(true) && *these;
  return all;
}

int exit_status(const result::Run& run, bool strict, bool fio_mode) {
  if (run.interrupted) return fio_mode ? static_cast<int>(kFioInterrupted) : stopped_status();
  const int failed = failed_jobs(run);
  if (failed == 0) return strict && result::sums::has_failed(run) ? kCheckFailed : kOk;
  if (fio_mode) return std::min(failed, kFioInterrupted - 1);  // a status has eight bits, and 128 means interrupted
  return all_of_privilege(run).value_or(false) ? kPrivilege : kIoError;
}

// The message for a run that was stopped before it measured anything.
std::string why_nothing(const result::Run& run) {
  const auto& all = run.findings;
  const auto why =
      std::find_if(all.begin(), all.end(), [](const auto& f) { return f.id.rfind("run.interrupted", 0) == 0; });
  return why == all.end() ? "interrupted; nothing was measured" : why->evidence;
}

// True if a job writes data to standard output (filename=-). Messages then go to standard error, as in fio.
bool writes_standard_output(const job::JobSet& jobs) {
  return std::any_of(jobs.jobs.begin(), jobs.jobs.end(), [](const auto& job) {
    return job.mode.writes && std::any_of(job.filenames.begin(), job.filenames.end(), run::files::is_standard);
  });
}

// The title of the HTML page that shows the run.
std::string title_of(const job::JobSet& jobs) {
  const auto more = jobs.jobs.size() - 1;
  return jobs.jobs[0].name + (more > 0 ? fmt::format(" and {} more", more) : std::string());
}

// Checks every file that the command writes, before the first one is written.
base::Expected<void> open_outputs(const job::Command& command, bool fio_mode, report_commands::Outputs& outputs,
                                  Output& output, LiveFeed& feed) {
  if (auto ok = output.open(outputs); !ok) return ok;
  const bool output_is_free = !report_commands::is_standard_output(command.output);
  return feed.open(command.live, outputs, output_is_free, program_name(fio_mode));
}

// Returns the exit status. Errors: nothing ran, or a report could not be written to its destination.
// head: comes before the report.
base::Expected<int> run_jobs(const job::Command& command, bool fio_mode, std::span<const std::string> words,
                             report_commands::Outputs& outputs, std::string head) {
  StatusPrinter status(command, fio_mode);
  if (auto ok = status.feed().start_page(command.live, title_of(command.jobs)); !ok) return ok.error();
  const auto program = program_facts(job::without_secrets(words), fio_mode);
  const auto build = build_facts();
  auto prepared = session::prepare({command, program, build, fio_mode});
  if (!prepared) return prepared.error();
  if (writes_standard_output(command.jobs)) stdout = stderr;
  outputs.overwrite = fio_mode || command.force;
  if (auto ok = name_files(prepared->plans(), command, fio_mode, outputs); !ok) return ok.error();
  const auto keep = history_commands::Keep::plan(command.keep, command.history, outputs);
  if (!keep) return keep.error();
  Output output(command, fio_mode, std::move(head));
  if (auto ok = open_outputs(command, fio_mode, outputs, output, status.feed()); !ok) return ok.error();

  // From here on, all measured data is reported, regardless of how the run ends.
  auto& stop = install_stop_flag();
  install_status_signal();
  ignore_broken_pipes();
  const auto result = session::execute(*prepared, listener_of(command, fio_mode, status, output), stop);
  const auto written = output.write(result);
  const auto followed = status.feed().end([&] { return report::run_html(result); });
  const int ended =
      keep->after(result, exit_status(result, command.strict, fio_mode), fio_mode, program_name(fio_mode));
  if (output.reader_gone()) end_by_broken_pipe();
  if (!written) return written.error();
  if (!followed) return followed.error();
  if (command.output_formats == std::vector<std::string>{"normal"}) write_text(stdout, prepared->closing_text());
  if (result.interrupted && result::nothing_measured(result)) show_line(why_nothing(result), program_name(fio_mode));
  return ended;
}

// Executes a command that was parsed without errors. Returns the exit status.
base::Expected<int> do_command(job::Command& command, bool fio_mode, std::span<const std::string> words,
                               report_commands::Outputs& outputs) {
  if (fio_mode && command.output == "-") command.output = "./-";  // in fio, `-` is a file with that name
  auto lines = session::jobs::debug_lines(command, fio_mode);
  const bool into_report = fio_mode && !command.parse_only && !report_commands::is_standard_output(command.output);
  write_text(stdout, lines.choice + (into_report ? std::string() : std::exchange(lines.facts, {})));
  if (auto answered = answer(command, fio_mode)) return *std::move(answered);
  if (command.jobs.jobs.empty()) {
    write_text(stderr, run_help(fio_mode));
    return static_cast<int>(fio_mode ? kFioFailed : kUsage);
  }
  if (!fio_mode) show_left_by_killed_runs(program_name(fio_mode));
  return run_jobs(command, fio_mode, words, outputs, std::move(lines.facts));
}

}  // namespace

int run_command(std::span<const std::string> args, bool fio_mode, std::span<const std::string> called_with,
                const report_commands::JobInMemory* in_memory) {
  report_commands::Outputs outputs;
  auto command = report_commands::read_command(args, outputs.named, in_memory);
  const auto words = called_with.empty() ? args : called_with;
  const auto status = command ? do_command(*command, fio_mode, words, outputs) : base::Expected<int>(command.error());
  if (status) return *status;
  show_error(as_typed(status.error(), words), program_name(fio_mode));
  return exit_code(status.error(), fio_mode);
}

}  // namespace fathom::cli::run_commands
