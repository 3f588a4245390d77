// `fathom history show`: the report of a stored run, as `fathom report` prints it.
#include <fmt/format.h>

#include "cli/exit_codes.h"
#include "cli/history_commands/history_command.h"
#include "cli/history_commands/history_file.h"
#include "cli/manuals.h"
#include "import/any_run.h"
#include "options/rows.h"

namespace fathom::cli::history_commands {
namespace {

std::span<const options::Group> show_groups() {
  static const options::Group all[] = {{"", report_rows()}, {"", history_rows()}};
  return all;
}

base::Expected<int> show_run(const Given& given, const ReportWish& wish, const HistoryWish& where) {
  if (auto ok = need_arguments(given, 1, 1, "ID"); !ok) return ok.error();
  const auto path = history_path(where);
  if (!path) return path.error();
  HistoryReport report(wish);
  if (auto ok = report.open(*path); !ok) return ok.error();
  auto store = history::Store::open(*path);
  if (!store) return store.error();
  const auto id = store->find_one(given.arguments[0]);
  if (!id) return id.error();
  const auto stored = store->result_of(*id);
  if (!stored) return stored.error();
  auto result = import::read_any(stored->text, fmt::format("run {}", *id));
  if (!result) return result.error();
  if (auto ok = report.write(*result); !ok) return ok.error();
  return static_cast<int>(kOk);
}

}  // namespace

const Manual& history_show_manual() {
  static const Manual manual{
      "fathom history show", "[OPTIONS] ID",
      "Prints the report of a stored run, in any format of `fathom report`. ID is the number of the\n"
      "run, a tag of one run, or the start of its run_id.\n",
      show_groups()};
  return manual;
}

int history_show_command(std::span<const std::string> args) {
  ReportWish wish;
  HistoryWish where;
  return carry_out(history_show_manual(), args, options::Targets(wish, where),
                   [&](const Given& given) { return show_run(given, wish, where); });
}

}  // namespace fathom::cli::history_commands
