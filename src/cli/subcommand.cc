// If the output could not be written, the exit status reports it.
#include "cli/subcommand.h"

#include <cerrno>
#include <cstdio>

#include "cli/exit_codes.h"
#include "cli/show_error.h"
#include "cli/terminal.h"

namespace fathom::cli {
namespace {

int written(bool taken, std::string_view program) {
  if (taken && std::fflush(stdout) == 0) return kOk;
  show_error(base::system_error("write to standard output", errno), program);
  return kIoError;
}

}  // namespace

int with_options(const Manual& manual, std::span<const std::string> args,
                 const std::function<base::Expected<std::string>(const Given&)>& carry_out,
                 const options::Targets& targets) {
  const auto given = options::read_command_line(manual, args, targets);
  auto text = !given        ? base::Expected<std::string>(given.error())
              : given->help ? base::Expected<std::string>(options::help_text(manual))
                            : carry_out(*given);
  if (!text) {
    const auto error = given ? given->placed(text.error()) : text.error();
    show_error(error, manual.command);
    return exit_code(error, false);
  }
  return written(given->has("raw") ? write_bytes(stdout, *text) : write_text(stdout, *text), manual.command);
}

int print_out(std::string_view text, std::string_view program) { return written(write_text(stdout, text), program); }

}  // namespace fathom::cli
