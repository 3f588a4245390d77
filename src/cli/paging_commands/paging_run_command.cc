// `fathom paging [run]` and `fathom paging breakdown`: parse, check, measure (session/paging_command.h), report. Also
// `--import`, which measures nothing.
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/history_commands/keep.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/paging_commands/paging_report.h"
#include "cli/paging_commands/paging_status.h"
#include "cli/report_commands/read_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "import/pmbench/pmbench_xml.h"
#include "paging_job/command_line.h"
#include "report/formats.h"
#include "result/sums/checks.h"
#include "session/paging_breakdown.h"
#include "session/paging_command.h"

namespace fathom::cli::paging_commands {
namespace {

using paging_job::Action, paging_job::ReportOptions;

int fail(const base::Error& error, const std::string& program) {
  show_error(error, program);
  return exit_code(error, false);
}

bool overwrites(const paging_job::Command& command) { return command.report.force || command.request.pressure.force; }

int import_report(const paging_job::Command& command, const std::string& program) {
  const ReportOptions& options = command.report;
  const auto text = report_commands::read_result_file(options.import_file);
  if (!text) return fail(text.error(), program);
  const auto run = import::pmbench::read_pmbench_xml(*text, options.import_file);
  if (!run) return fail(run.error(), program);
  report_commands::Outputs outputs{.named = {}, .overwrite = overwrites(command)};
  outputs.named.add("the file of --import", options.import_file);
  PagingReport report;
  if (auto ok = report.open(outputs, options); !ok) return fail(ok.error(), program);
  if (auto ok = report.write(options, *run); !ok) return fail(ok.error(), program);
  return kOk;
}

// The files that the measurement reads and writes.
void name_files(base::files::NamedFiles& named, const paging_job::Request& request) {
  for (const auto& [as, path] : {std::pair("the file of --memory", &request.plan.region.file),
                                 {"the file of --pattern", &request.plan.pattern.file}})
    if (!path->empty()) named.add(as, *path);
  for (const auto& swap : request.swaps)
    if (!swap.path.empty()) named.add("the file of --swap", swap.path);
}

// words: the words that call this command.
int measuring_command(Action action, const Manual& manual, std::vector<std::string> words,
                      std::span<const std::string> args) {
  const std::string program(manual.command);
  const auto command = paging_job::parse_command(action, args);
  if (!command) return fail(command.error(), program);
  if (command->help) return print_out(options::help_text(manual), program);
  if (!command->report.import_file.empty()) return import_report(*command, program);
  words.insert(words.end(), args.begin(), args.end());
  return carry_out_paging(action, *command, words, program);
}

}  // namespace

int carry_out_paging(Action action, const paging_job::Command& command, std::span<const std::string> called_with,
                     const std::string& program) {
  PagingStatus status(command.report.eta);
  if (auto ok = status.feed().start_page(command.report.live, "Memory accesses"); !ok) return fail(ok.error(), program);
  auto& stop = install_stop_flag();
  install_status_signal();
  ignore_broken_pipes();
  auto checked = session::check_as_asked(action, command.request);
  if (!checked) return fail(checked.error(), program);
  report_commands::Outputs outputs{.named = {}, .overwrite = overwrites(command)};
  name_files(outputs.named, command.request);
  const auto keep = history_commands::Keep::plan(command.report.keep, command.report.history, outputs);
  if (!keep) return fail(keep.error(), program);
  PagingReport report;
  if (auto ok = report.open(outputs, command.report); !ok) return fail(ok.error(), program);
  const bool output_is_free = !report_commands::is_standard_output(command.report.output);
  if (auto ok = status.feed().open(command.report.live, outputs, output_is_free, program); !ok)
    return fail(ok.error(), program);

  if (action == Action::breakdown) show_line(session::longest_wait(checked->request), program);
  const auto listener = status.session_listener(program);
  session::PagingSession session{{}, listener, stop, {}};
  const auto measured =
      session::measure_as_asked(std::move(*checked), {program_facts(called_with, false), build_facts()}, session);
  if (!measured) {
    const int status_of_error = fail(measured.error(), program);
    return stop.load() > 0 ? stopped_status() : status_of_error;
  }
  const auto written = report.write(command.report, *measured);
  int ended = paging_exit_status(*measured);
  if (ended == kOk && command.report.strict && result::sums::has_failed(*measured)) ended = kCheckFailed;
  ended = keep->after(*measured, ended, false, program);
  if (!written) return fail(written.error(), program);
  const auto followed = status.feed().end([&] { return report::run_html(*measured); });
  if (!followed) return fail(followed.error(), program);
  return ended;
}

int paging_run_command(std::span<const std::string> args) {
  return measuring_command(Action::run, paging_job::run_manual(), {"paging"}, args);
}

int paging_breakdown_command(std::span<const std::string> args) {
  return measuring_command(Action::breakdown, paging_job::breakdown_manual(), {"paging", "breakdown"}, args);
}

}  // namespace fathom::cli::paging_commands
