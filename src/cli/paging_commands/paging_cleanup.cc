// `fathom paging cleanup` (session/paging_command.h).
#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "session/paging_command.h"

namespace fathom::cli::paging_commands {
namespace {

constexpr options::Row kRows[] = {options::noted(
    {"force", "",
     "disable swap even if the pages of other processes do not fit into memory: the kernel may kill them"})};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom paging cleanup", "[--force]",
    "Removes what killed runs left: active swap, its files and zram devices, memory cgroups, settings, DAMON's\n"
    "observation of a process. Needs root if the run did. Without --force, swap stays active while it holds pages of\n"
    "other processes that do not fit into memory; the command prints it. Swap that a live run uses ends with that "
    "run.\n",
    kOptions};

base::Expected<std::string> clean_up(const Given& given, bool& failed) {
  if (!given.arguments.empty())
    return usage_error(fmt::format("`{}`: cleanup takes no arguments", given.arguments[0]), "", "");
  const auto cleaned = session::clean_up_as_asked(given.has("force"));
  failed = cleaned.failed || !cleaned.not_looked.empty();
  if (!cleaned.not_looked.empty())
    return fmt::format("{}\nnot checked: {}: run as root\n", fmt::join(cleaned.said, "\n"), cleaned.not_looked);
  if (cleaned.said.empty()) return std::string("nothing to clean up\n");
  return fmt::format("{}\n", fmt::join(cleaned.said, "\n"));
}

}  // namespace

const Manual& paging_cleanup_manual() { return kManual; }

int paging_cleanup_command(std::span<const std::string> args) {
  bool failed = false;
  const int status = with_options(kManual, args, [&](const Given& given) { return clean_up(given, failed); });
  return failed ? kIoError : status;
}

}  // namespace fathom::cli::paging_commands
