// `fathom history compare`: the arithmetic and the report of `fathom compare`, with stored runs as sides.
#include <fmt/format.h>

#include <algorithm>

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/history_commands/history_command.h"
#include "cli/history_commands/history_file.h"
#include "cli/manuals.h"
#include "cli/report_commands/compare_report.h"
#include "cli/show_error.h"
#include "import/any_run.h"

namespace fathom::cli::history_commands {
namespace {

using report_commands::CompareWish;

std::span<const options::Group> compare_groups() {
  static const options::Group all[] = {{"", report_commands::compare_rows()}, {"", history_rows()}};
  return all;
}

// A side is a run, the runs of a tag, or several of these with commas between them.
base::Expected<std::vector<std::uint64_t>> runs_of(history::Store& store, const std::string& side) {
  std::vector<std::uint64_t> ids;
  for (std::size_t at = 0; at <= side.size();) {
    const auto end = std::min(side.find(',', at), side.size());
    const auto found = store.find(side.substr(at, end - at));
    if (!found) return found.error();
    for (const auto id : *found)
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    at = end + 1;
  }
  return ids;
}

base::Expected<void> add_side(history::Store& store, std::size_t side, const std::vector<std::uint64_t>& ids,
                              compare::Comparison& comparison, std::string_view program) {
  for (const auto id : ids) {
    const auto name = fmt::format("run {}", id);
    const auto stored = store.result_of(id);
    const auto run = stored ? import::read_any_run(stored->text, name) : base::Expected<result::Run>(stored.error());
    if (run) {
      comparison.add(side, name, *run);
    } else {
      show_error(run.error(), program);
      comparison.leave_out(name, run.error().what, run.error().cause);
    }
  }
  return {};
}

base::Expected<int> compare_sides(const Given& given, const CompareWish& wish, const HistoryWish& where,
                                  std::string_view program) {
  if (auto ok = need_arguments(given, 2, SIZE_MAX, given.arguments.empty() ? "A" : "B"); !ok) return ok.error();
  auto asked = report_commands::compare_asked(wish);
  if (!asked) return asked.error();
  const auto path = history_path(where);
  if (!path) return path.error();
  report_commands::Outputs outputs{.named = {}, .overwrite = wish.force};
  outputs.named.add("the history", *path);
  report_commands::CompareReport report(wish);
  if (auto ok = report.open(given, outputs); !ok) return ok.error();
  auto store = history::Store::open(*path);
  if (!store) return store.error();
  compare::Comparison comparison(std::move(*asked), given.arguments);
  for (std::size_t side = 0; side < given.arguments.size(); ++side) {
    const auto ids = runs_of(*store, given.arguments[side]);
    if (!ids) return ids.error();
    if (auto ok = add_side(*store, side, *ids, comparison, program); !ok) return ok.error();
  }
  const auto found = comparison.finish(version_line());
  for (const auto& error : comparison.unfit_files()) show_error(error, program);
  if (!found) return found.error();
  return report.write(*found);
}

}  // namespace

const Manual& history_compare_manual() {
  static const Manual manual{
      "fathom history compare", "[OPTIONS] A B [C...]",
      "Compares stored runs as `fathom compare` compares files. A side is a number, the start of a run_id, a tag (all\n"
      "runs that have it), or several of these with commas between them. A verdict needs three runs per side.\n",
      compare_groups(), "\nExit status: 0; 1 a condition failed; 2 nothing could be compared.\n"};
  return manual;
}

int history_compare_command(std::span<const std::string> args) {
  CompareWish wish;
  HistoryWish where;
  const auto& manual = history_compare_manual();
  return carry_out(manual, args, options::Targets(wish, where),
                   [&](const Given& given) { return compare_sides(given, wish, where, manual.command); });
}

}  // namespace fathom::cli::history_commands
