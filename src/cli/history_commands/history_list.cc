// `fathom history list`.
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/history_commands/history_command.h"
#include "cli/history_commands/history_file.h"
#include "cli/manuals.h"
#include "history/check.h"
#include "options/rows.h"

namespace fathom::cli::history_commands {
namespace {

std::span<const options::Group> list_groups() {
  static const options::Row rows[] = {
      options::text<&history::Filter::job>({"job=NAME", "", "only runs of this job"}),
      options::text<&history::Filter::tag>({"tag=NAME", "", "only runs with this tag"}),
      options::text<&history::Filter::host>({"host=NAME", "", "only runs of this host"}),
      options::count<&history::Filter::last>({"last=N", "20", "the newest N runs"}, 1, 1'000'000),
  };
  static const options::Group all[] = {{"", rows}, {"", report_rows()}, {"", history_rows()}};
  return all;
}

base::Expected<int> list_runs(const Given& given, const history::Filter& filter, const ReportWish& wish,
                              const HistoryWish& where) {
  if (auto ok = need_arguments(given, 0, 0, ""); !ok) return ok.error();
  const auto path = history_path(where);
  if (!path) return path.error();
  HistoryReport report(wish);
  if (auto ok = report.open(*path); !ok) return ok.error();
  auto store = history::Store::open(*path);
  if (!store) return store.error();
  if (auto ok = history::check_job(*store, filter.job); !ok) return ok.error();
  auto list = store->list(filter);
  if (!list) return list.error();
  list->program = version_line();
  if (auto ok = report.write(result::Stored(std::move(*list))); !ok) return ok.error();
  return static_cast<int>(kOk);
}

}  // namespace

const Manual& history_list_manual() {
  static const Manual manual{
      "fathom history list", "[OPTIONS]",
      "Lists the runs of a history, newest first. On a terminal, columns that do not fit are left "
      "out.\n",
      list_groups()};
  return manual;
}

int history_list_command(std::span<const std::string> args) {
  history::Filter filter;
  ReportWish wish;
  HistoryWish where;
  return carry_out(history_list_manual(), args, options::Targets(filter, wish, where),
                   [&](const Given& given) { return list_runs(given, filter, wish, where); });
}

}  // namespace fathom::cli::history_commands
