// Called as `pmbench`: its command line, its XML file, and a text on standard output.
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "paging_job/pmbench.h"

namespace fathom::cli::paging_commands {

int pmbench_command(std::span<const std::string> args) {
  constexpr const char* kProgram = "pmbench";
  auto asked = paging_job::parse_pmbench(args);
  if (!asked) {
    show_error(asked.error(), kProgram);
    return exit_code(asked.error(), false);
  }
  if (asked->version) return version_command();
  if (asked->usage) return print_out(paging_job::pmbench_usage(), kProgram);
  if (asked->help) return print_out(options::help_text(paging_job::pmbench_manual()), kProgram);
  asked->report.formats.emplace_back("pmbench");
  std::vector<std::string> called_with{kProgram};
  called_with.insert(called_with.end(), args.begin(), args.end());
  return carry_out_paging(paging_job::Action::run, *asked, called_with, kProgram);
}

}  // namespace fathom::cli::paging_commands
