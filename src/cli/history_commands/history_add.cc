// `fathom history add`: each file is a transaction, so that another writer never waits for the reading of files. A file
// that cannot be added is reported; the others are still added.
#include <fmt/format.h>

#include <optional>

#include "base/text/printable.h"
#include "cli/exit_codes.h"
#include "cli/history_commands/history_command.h"
#include "cli/history_commands/history_file.h"
#include "cli/manuals.h"
#include "cli/report_commands/read_file.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "import/any_run.h"

namespace fathom::cli::history_commands {
namespace {

std::span<const options::Group> add_groups() {
  static const options::Group all[] = {{"", history_rows()}};
  return all;
}

base::Expected<history::Added> add_file(history::Store& store, const std::string& file, std::string& job) {
  const auto text = report_commands::read_result_file(file);
  if (!text) return text.error();
  const auto run = import::read_any_run(*text, file);
  if (!run) return run.error();
  const auto entry = history::entry_of(*run, *text);
  job = entry.title;
  return store.add(entry, *text);
}

base::Expected<int> add_files(const Given& given, const HistoryWish& where, std::string_view program) {
  if (auto ok = need_arguments(given, 1, SIZE_MAX, "RESULT.json"); !ok) return ok.error();
  const auto path = history_path(where);
  if (!path) return path.error();
  auto store = history::Store::open_to_add(*path);
  if (!store) return store.error();
  std::optional<base::Error> first;
  for (const auto& file : given.arguments) {
    std::string job;
    const auto added = add_file(*store, file, job);
    if (!added) {
      if (given.arguments.size() > 1) show_error(added.error(), program);
      if (!first) first = added.error();
      continue;
    }
    const auto name = base::text::printable(file);
    write_text(stdout, added->is_new ? fmt::format("run {}: {} ({})\n", added->id, base::text::printable(job), name)
                                     : fmt::format("run {} has this result already ({})\n", added->id, name));
  }
  if (!first) return print_out("", program);
  if (given.arguments.size() == 1) return *first;
  return exit_code(*first, false);
}

}  // namespace

const Manual& history_add_manual() {
  static const Manual manual{
      "fathom history add", "[OPTIONS] RESULT.json...",
      "Adds stored results of runs to a history, and makes it if it does not exist: JSON of fathom\n"
      "or fio, XML of pmbench. A result that the history has is not added again.\n",
      add_groups()};
  return manual;
}

int history_add_command(std::span<const std::string> args) {
  HistoryWish where;
  const auto& manual = history_add_manual();
  return carry_out(manual, args, options::Targets(where),
                   [&](const Given& given) { return add_files(given, where, manual.command); });
}

}  // namespace fathom::cli::history_commands
