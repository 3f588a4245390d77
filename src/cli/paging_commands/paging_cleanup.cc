// `fathom paging cleanup`: what runs that were killed have left.
#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "paging/learn/observe/damon_sysfs.h"
#include "paging/pressure/pressure.h"

namespace fathom::cli::paging_commands {
namespace {

constexpr options::Row kRows[] = {
    options::noted({"force", "", "swap off also where others' pages have no room: the kernel may kill them"})};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom paging cleanup", "[--force]",
    "Undoes what runs that are no more have left behind: swap that is still on, its files and zram\n"
    "devices, memory cgroups, settings, DAMON's observation of a process. Needs root where they did.\n"
    "Without --force, swap in which others' pages lie that have no room in memory stays on, and is said;\n"
    "swap in which a run that lives has pages goes with that run's end.\n",
    kOptions};

base::Expected<std::string> clean_up(const Given& given, bool& failed) {
  if (!given.arguments.empty())
    return usage_error(fmt::format("`{}`: cleanup takes no words", given.arguments[0]), "", "");
  std::string text;
  for (const auto& left : paging::pressure::clean_up(given.has("force"))) {
    for (const auto& done : left.undone) text += fmt::format("run {}: {}\n", left.pid, done);
    for (const auto& wait : left.waiting) text += fmt::format("run {}: {}\n", left.pid, wait);
    for (const auto& still : left.failed) text += fmt::format("run {}: not undone: {}\n", left.pid, still);
    failed |= !left.failed.empty();
  }
  const auto damon = paging::learn::observe::undo_left_damon();
  if (!damon.says.empty()) text += damon.says + "\n";
  failed |= damon.outcome == paging::learn::observe::DamonLeft::Outcome::failed;
  return text.empty() ? "nothing was left behind\n" : text;
}

}  // namespace

const Manual& paging_cleanup_manual() { return kManual; }

int paging_cleanup_command(std::span<const std::string> args) {
  bool failed = false;
  const int status = with_options(kManual, args, [&](const Given& given) { return clean_up(given, failed); });
  return failed ? kIoError : status;
}

}  // namespace fathom::cli::paging_commands
