// The main job. Reads as the data flows: parse, plan, guard, run (session/jobs.h), report.
#include "cli/run_commands/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/files/identity.h"
#include "base/files/input_file.h"
#include "base/text/printable.h"
#include "cli/clock_commands/clock_test.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/report_commands/job_files.h"
#include "cli/report_commands/report_file.h"
#include "cli/run_commands/output.h"
#include "cli/run_commands/status.h"
#include "cli/run_commands/status_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "clock/cores/cross_core.h"
#include "engine/userspace/nvme_devices.h"
#include "host/guards/guard.h"
#include "job/command.h"
#include "live/io_line.h"
#include "loops/table.h"
#include "report/formats.h"
#include "result/measured.h"
#include "result/sums/checks.h"
#include "run/logs/aggregate_log.h"
#include "run/logs/log_samples.h"
#include "run/process/foresee.h"
#include "run/process/idle_profile.h"
#include "run/runner.h"
#include "session/clock_tools.h"
#include "session/jobs.h"
#include "session/jobs/debug_lines.h"
#include "session/jobs/refusals.h"
#include "session/jobs/stamp_feed.h"
#include "verify/state/state_file.h"

namespace fathom::cli::run_commands {
namespace {

void print(const std::string& text) { write_text(stdout, text); }

// --inflate-log. A log has as many lines as there were I/Os.
base::Expected<std::string> inflated(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 30;
  const auto stored = base::files::read_input("log", path, kMostBytes);
  if (!stored) return stored.error();
  auto text = run::logs::inflate_log(*stored);
  if (!text) text.error().what = path + ": " + text.error().what;
  return text;
}

// --help, --version, --cmdhelp, --enghelp, --inflate-log, --showcmd, --parse-only: answered without running anything.
std::optional<base::Expected<std::string>> answer(const job::Command& command, bool fio_mode) {
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

// Controllers that planning opened are shut down in order, however the command ends.
struct OpenControllers {
  OpenControllers() = default;
  OpenControllers(const OpenControllers&) = delete;
  ~OpenControllers() { engine::userspace::close_nvme_devices(); }
};

int failed_jobs(const result::Run& run) {
  int failed = 0;
  for (const auto& job : run.jobs) failed += job.members == 1 && job.error != 0 ? 1 : 0;
  for (const auto& job : run.group_members) failed += job.error != 0 ? 1 : 0;
  for (const auto& repetition : run.repetitions) failed = std::max(failed, failed_jobs(repetition));
  return failed;
}

// None: there are no errors.
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

// Of a run that was stopped before it measured anything.
std::string why_nothing(const result::Run& run) {
  const auto& all = run.findings;
  const auto why =
      std::find_if(all.begin(), all.end(), [](const auto& f) { return f.id.rfind("run.interrupted", 0) == 0; });
  return why == all.end() ? "interrupted; nothing was measured" : why->evidence;
}

// The unit of work alone, in fio's words.
int calibrate_idleness() {
  const auto idle = run::process::IdleProfile(clock::cores::usable_cpus()).calibrated();
  print(fmt::format("CPU idleness:\n  unit work: mean={:3.2f}us, stddev={:3.2f}\n", idle.unit_mean_us,
                    idle.unit_stddev_us));
  return kOk;
}

// filename=-: what is told goes where it is in nobody's way, as with fio.
bool writes_standard_output(const job::JobSet& jobs) {
  return std::any_of(jobs.jobs.begin(), jobs.jobs.end(), [](const auto& job) {
    return job.mode.writes && std::any_of(job.filenames.begin(), job.filenames.end(), run::files::is_standard);
  });
}

// That messages begin with, as scripts that read fio's expect.
std::string program_name(bool fio_mode) { return fio_mode ? "fio" : "fathom"; }

// An engine's words: fio says them on standard output; under our own name that is the report's alone.
void announce(const std::string& text, bool fio_mode) {
  std::FILE* const to = fio_mode ? stdout : stderr;
  write_text(to, text + "\n");
  std::fflush(to);
}

// --debug=io
session::jobs::StampListener io_printer() {
  return {[](pid_t worker, std::uint64_t first, std::span<const result::IoStamp> stamps, const run::files::Plan& plan) {
            print(live::io_lines(worker, first, stamps, plan));
          },
          [](pid_t worker, std::uint64_t lost) { print(live::io_lost_line(worker, lost)); }};
}

session::Listener listener_of(const job::Command& command, bool fio_mode, StatusPrinter& status, Output& output) {
  session::Listener listener;
  listener.name = program_name(fio_mode);
  listener.on_settle = status.settle_listener();
  listener.on_progress = status.progress_listener();
  listener.on_second = status.second_listener();
  listener.on_layout = status.layout_listener();
  listener.on_error = [fio_mode](const base::Error& error) { show_error(error, program_name(fio_mode)); };
  if (fio_mode) listener.on_line = [](const std::string& line) { write_text(stdout, line + "\n"); };
  listener.on_announcement = [fio_mode](const std::string& text) { announce(text, fio_mode); };
  listener.status_asked = [dump = StatusFile()] { return take_status_signal() || dump.take(); };
  listener.on_status = [&](const result::Run& so_far) {
    status.clear();
    output.write_so_far(so_far);
  };
  listener.on_measured = [&] { status.clear(); };
  if (session::jobs::debugs(command, "io"))
    listener.read_stamps = [&](std::span<const run::files::Plan> plans) -> std::unique_ptr<session::StampReader> {
      return std::make_unique<session::jobs::StampFeed>(plans, command.debug_jobs, io_printer());
    };
  return listener;
}

// What is there and would be lost is known before the run. What a job cannot write fails that job alone, when it opens it.
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

// A file that is there already would be removed, and would end the run, at once.
base::Expected<void> check_trigger(const std::string& file) {
  if (::access(file.c_str(), F_OK) != 0) return {};
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = fmt::format("--trigger-file: `{}` exists already", base::text::printable(file));
  e.cause = "the run would remove it and end at once";
  e.help = "remove it, or name a file that does not exist";
  return e;
}

// Its bytes, its length or its being there.
bool changes(const run::files::Plan& plan, const run::files::PlannedTarget& target) {
  return plan.job.mode.writes || plan.job.mode.trims || plan.job.unlink ||
         io::traits_of(plan.job.ioengine).reads_change || (target.exists && target.size_needed > target.size_now);
}

// What the jobs read and write; then what they write beside their targets.
base::Expected<void> name_files(const std::vector<run::files::Plan>& plans, const job::Command& command, bool fio_mode,
                                report_commands::Outputs& outputs) {
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

// Of the page that shows it.
std::string title_of(const job::JobSet& jobs) {
  const auto more = jobs.jobs.size() - 1;
  return jobs.jobs[0].name + (more > 0 ? fmt::format(" and {} more", more) : std::string());
}

int fail(const base::Error& error, bool fio_mode) {
  show_error(error, program_name(fio_mode));
  return exit_code(error, fio_mode);
}

// The exit status of what runs no job; none: there are jobs to run.
std::optional<int> answered(job::Command& command, bool fio_mode) {
  if (const auto text = answer(command, fio_mode)) {
    if (!*text) return fail(text->error(), fio_mode);
    print(**text);
    return kOk;
  }
  if (command.cpuclock_test) return clock_commands::cpuclock_test();
  if (command.explain_compat) {
    auto& explanation = command.explanation;
    if (explanation.would_run) job::values::add_foreseen(explanation, run::process::foresee(command.jobs));
    print(job::values::explanation_text(explanation));
    return explanation.would_run ? kOk : fio_mode ? kFioFailed : kUsage;
  }
  if (command.idle_prof == job::Command::IdleProf::calibrate) return calibrate_idleness();
  if (const auto warning = session::jobs::fatal_warning(command)) return fail(*warning, fio_mode);
  if (!command.parse_only) return std::nullopt;
  if (!fio_mode)  // fio's scripts take a word on standard error for a refusal
    for (const auto& error : run::process::foresee(command.jobs)) show_warning(error, program_name(fio_mode));
  return kOk;
}

}  // namespace

int run_command(std::span<const std::string> args, bool fio_mode, std::span<const std::string> called_with) {
  // The command is understood, or refused with the place of the mistake.
  report_commands::Outputs outputs;
  auto command = report_commands::read_command(args, outputs.named);
  if (!command) return fail(command.error(), fio_mode);
  if (fio_mode && command->output == "-") command->output = "./-";  // fio's is a file of that name
  print(session::jobs::debug_lines(*command, fio_mode));
  if (const auto status = answered(*command, fio_mode)) return *status;

  // Every job has something to do, and nothing of value lies where it writes.
  if (command->jobs.jobs.empty()) {
    write_text(stderr, run_help(fio_mode));
    return fio_mode ? kFioFailed : kUsage;
  }
  for (const auto& job : command->jobs.jobs)
    if (auto ok = loops::check_job(job); !ok) return fail(ok.error(), fio_mode);
  if (!fio_mode) show_left_by_killed_runs(program_name(fio_mode));
  StatusPrinter status(*command, fio_mode);
  if (auto ok = status.feed().start_page(command->live, title_of(command->jobs)); !ok)
    return fail(ok.error(), fio_mode);
  const OpenControllers controllers;
  auto plans = run::plan_jobs(command->jobs);
  if (!plans) return fail(plans.error(), fio_mode);
  host::guards::WriteGuard guard(session::jobs::allowed_entries(*plans, *command));
  host::placement::Placements placements;
  if (auto ok = session::jobs::look_at_targets(guard, placements, *plans, *command, fio_mode); !ok)
    return fail(ok.error(), fio_mode);
  if (writes_standard_output(command->jobs)) stdout = stderr;
  outputs.overwrite = fio_mode || command->force;
  if (auto ok = name_files(*plans, *command, fio_mode, outputs); !ok) return fail(ok.error(), fio_mode);
  Output output(*command, fio_mode);
  if (auto ok = output.open(outputs); !ok) return fail(ok.error(), fio_mode);
  const bool output_is_free = !report_commands::is_standard_output(command->output);
  if (auto ok = status.feed().open(command->live, outputs, output_is_free, program_name(fio_mode)); !ok)
    return fail(ok.error(), fio_mode);

  // The clock is validated before it stamps anything. From here on, whatever happens, what was measured is reported.
  auto& stop = install_stop_flag();
  install_status_signal();
  ignore_broken_pipes();
  const run::process::RunClocks clocks(*plans, session::clock_tools(command->clock_check), clock::cores::usable_cpus());
  const auto program = program_facts(called_with.empty() ? args : called_with, fio_mode);
  const auto build = build_facts();
  const auto listener = listener_of(*command, fio_mode, status, output);
  session::JobsSession session{*command, program, build, *plans, placements, clocks, guard, listener, stop};
  if (command->profile == "act") session.act.emplace();
  const auto result = session::run_as_asked(session);
  if (session.act) session.act->end(result);
  const auto written = output.write(result);
  const auto followed = status.feed().end([&] { return report::run_html(result); });
  if (output.reader_gone()) end_by_broken_pipe();
  if (!written) return fail(written.error(), fio_mode);
  if (!followed) return fail(followed.error(), fio_mode);
  if (session.act && command->output_formats == std::vector<std::string>{"normal"}) print(session.act->text());
  if (result.interrupted && result::nothing_measured(result)) show_line(why_nothing(result), program_name(fio_mode));
  return exit_status(result, command->strict, fio_mode);
}

}  // namespace fathom::cli::run_commands
