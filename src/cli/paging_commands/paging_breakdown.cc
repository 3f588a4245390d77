// `fathom paging breakdown` (session/paging_breakdown.h).
#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/paging_commands/paging_report.h"
#include "cli/paging_commands/paging_status.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "paging_job/command_line.h"
#include "session/paging_breakdown.h"

namespace fathom::cli::paging_commands {
namespace {

constexpr const char* kProgram = "fathom paging breakdown";

int fail(const base::Error& error) {
  show_error(error, kProgram);
  return exit_code(error, false);
}

}  // namespace

int paging_breakdown_command(std::span<const std::string> args) {
  auto command = paging_job::parse_command(paging_job::Action::breakdown, args);
  if (!command) return fail(command.error());
  if (command->help) return print_out(options::help_text(paging_job::breakdown_manual()), kProgram);
  auto* const options = &command->request;
  auto& stop = install_stop_flag();
  also_stop_on_hangup();
  ignore_broken_pipes();
  auto findings = session::clean_up_stale_state();
  if (auto ok = session::check_breakdown(*options); !ok) return fail(ok.error());
  findings.insert(findings.end(), options->findings.begin(), options->findings.end());
  PagingReport report;
  if (auto ok = report.open(command->report); !ok) return fail(ok.error());

  PagingStatus status(command->report.eta);
  const auto listener = status.session_listener(kProgram);
  session::PagingSession session{
      session::choose_paging_clock(options->plan, options->stamps_given), listener, stop, {}};
  auto shown = session::break_down(*options, session);
  if (!shown) {
    const int status_of_error = fail(shown.error());
    return stop.load() > 0 ? static_cast<int>(kInterrupted) : status_of_error;
  }
  shown->findings.insert(shown->findings.begin(), findings.begin(), findings.end());
  std::vector<std::string> called_with{"paging", "breakdown"};
  called_with.insert(called_with.end(), args.begin(), args.end());
  complete_paging(*shown, called_with, command->report.schema);
  if (auto ok = report.write(command->report, *shown); !ok) return fail(ok.error());
  return paging_exit_status(*shown);
}

}  // namespace fathom::cli::paging_commands
