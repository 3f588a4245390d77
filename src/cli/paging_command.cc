// The actions of `fathom paging`, a row each. `run` is what is meant where none is named.
#include "cli/paging_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/nearest.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/paging_options.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "options/rows.h"
#include "paging/learn/damon_sysfs.h"
#include "paging/pressure/pressure.h"

namespace fathom::cli {
namespace {

struct Row {
  std::string_view name, summary;
  int (*run)(std::span<const std::string> args);
};
constexpr Row kRows[] = {
    {"run", "touch memory under pressure and measure each access (what is done without an action)", paging_run_command},
    {"breakdown", "the cost of a major fault on several swaps: the device's part and the kernel's",
     paging_breakdown_command},
    {"learn", "watch a process and write a profile that --pattern=profile:FILE plays", paging_learn_command},
    {"cleanup", "remove what runs that were killed have left: swap, cgroups, settings", paging_cleanup_command},
};

int unknown(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& row : kRows) names.emplace_back(row.name);
  show_error(usage_error(fmt::format("no action `paging {}`", word), "",
                         base::did_you_mean(word, names, "`fathom paging --help` lists them")),
             "fathom paging");
  return kUsage;
}

}  // namespace

std::string paging_overview() {
  std::string out = paging_help(PagingAction::run) + "\nactions\n";
  for (const auto& row : kRows) out += fmt::format("  {:<9}  {}\n", row.name, row.summary);
  return out + "\n`fathom paging ACTION --help` lists the options of one. docs/paging.md explains the report.\n";
}

int paging_command(std::span<const std::string> args) {
  if (args.empty()) return write_text(stderr, paging_overview()), kUsage;
  if (args[0] == "--help" || args[0] == "-h" || args[0] == "help") return print_out(paging_overview(), "fathom paging");
  if (args[0].starts_with('-')) return paging_run_command(args);
  for (const auto& row : kRows)
    if (row.name == args[0]) return row.run(args.subspan(1));
  return unknown(args[0]);
}

namespace {

constexpr options::Row kCleanupRows[] = {
    options::noted({"force", "", "swap off also where others' pages have no room: the kernel may kill them"})};
constexpr options::Group kCleanupOptions[] = {{"", kCleanupRows}};
constexpr Manual kCleanup{
    "fathom paging cleanup", "[--force]",
    "Undoes what runs that are no more have left behind: swap that is still on, its files and zram\n"
    "devices, memory cgroups, settings, DAMON's observation of a process. Needs root where they did.\n"
    "Without --force, swap in which others' pages lie that have no room in memory stays on, and is said;\n"
    "swap in which a run that lives has pages goes with that run's end.\n",
    kCleanupOptions};

}  // namespace

const Manual& paging_cleanup_manual() { return kCleanup; }

int paging_cleanup_command(std::span<const std::string> args) {
  const auto given = options::read_command_line(kCleanup, args, options::Targets());
  if (!given) return show_error(given.error(), kCleanup.command), kUsage;
  if (given->help) return print_out(options::help_text(kCleanup), kCleanup.command);
  if (!given->words.empty()) {
    show_error(usage_error(fmt::format("`{}`: cleanup takes no words", given->words[0]), "", ""), kCleanup.command);
    return kUsage;
  }
  std::string text;
  bool failed = false;
  for (const auto& left : paging::clean_up(given->has("force"))) {
    for (const auto& done : left.undone) text += fmt::format("run {}: {}\n", left.pid, done);
    for (const auto& wait : left.waiting) text += fmt::format("run {}: {}\n", left.pid, wait);
    for (const auto& still : left.failed) text += fmt::format("run {}: not undone: {}\n", left.pid, still);
    failed |= !left.failed.empty();
  }
  const auto damon = paging::learn::undo_left_damon();
  if (!damon.says.empty()) text += damon.says + "\n";
  failed |= damon.outcome == paging::learn::DamonLeft::Outcome::failed;
  if (text.empty()) text = "nothing was left behind\n";
  const int printed = print_out(text, kCleanup.command);
  return failed ? kIoError : printed;
}

}  // namespace fathom::cli
