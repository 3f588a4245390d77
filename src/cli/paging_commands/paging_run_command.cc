// `fathom paging [run]`: parse, check, measure as often as asked, report. And `--import`, which measures nothing.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/paging_commands/paging_carry_out.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/paging_commands/paging_report.h"
#include "cli/paging_commands/paging_status.h"
#include "cli/report_commands/read_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "import/pmbench/pmbench_xml.h"
#include "paging_job/command_line.h"
#include "session/paging_run.h"

namespace fathom::cli::paging_commands {
namespace {

constexpr const char* kProgram = "fathom paging";

int fail(const base::Error& error, const std::string& program) {
  show_error(error, program);
  return exit_code(error, false);
}

int import_report(const paging_job::ReportOptions& options) {
  const auto text = report_commands::read_file(options.import_file, import::pmbench::kMostReportBytes);
  if (!text) return fail(text.error(), kProgram);
  const auto run = import::pmbench::read_pmbench_xml(*text, options.import_file);
  if (!run) return fail(run.error(), kProgram);
  paging_commands::PagingReport report;
  if (auto ok = report.open(options); !ok) return fail(ok.error(), kProgram);
  if (auto ok = report.write(options, *run); !ok) return fail(ok.error(), kProgram);
  return kOk;
}

}  // namespace

int carry_out_paging(paging_job::Command command, std::span<const std::string> called_with,
                     const std::string& program) {
  auto& stop = install_stop_flag();
  also_stop_on_hangup();
  ignore_broken_pipes();
  auto& options = command.request;
  auto findings = session::clean_up_stale_state();
  if (auto ok = session::check_paging(options); !ok) return fail(ok.error(), program);
  findings.insert(findings.end(), options.findings.begin(), options.findings.end());
  paging_commands::PagingReport report;
  if (auto ok = report.open(command.report); !ok) return fail(ok.error(), program);

  paging_commands::PagingStatus status(command.report.eta);
  const auto listener = status.session_listener(program);
  session::PagingSession session{session::choose_paging_clock(options.plan, options.stamps_given), listener, stop, {}};
  auto measured = session::measure_repeated(options, session);
  if (!measured) {
    const int status_of_error = fail(measured.error(), program);
    return stop.load() > 0 ? static_cast<int>(kInterrupted) : status_of_error;
  }
  auto& shown = *measured;
  shown.findings.insert(shown.findings.begin(), findings.begin(), findings.end());
  paging_commands::complete_paging(shown, called_with, command.report.schema);
  if (auto ok = report.write(command.report, shown); !ok) return fail(ok.error(), program);
  return paging_commands::paging_exit_status(shown);
}

int paging_run_command(std::span<const std::string> args) {
  auto command = paging_job::parse_command(paging_job::Action::run, args);
  if (!command) return fail(command.error(), kProgram);
  if (command->help) return print_out(options::help_text(paging_job::run_manual()), kProgram);
  if (!command->report.import_file.empty()) return import_report(command->report);
  std::vector<std::string> called_with{"paging"};
  called_with.insert(called_with.end(), args.begin(), args.end());
  return carry_out_paging(std::move(*command), called_with, kProgram);
}

}  // namespace fathom::cli::paging_commands
