// `fathom history tag` and `fathom history delete`.
#include <algorithm>

#include "cli/exit_codes.h"
#include "cli/history_commands/history_command.h"
#include "cli/history_commands/history_file.h"
#include "cli/manuals.h"
#include "options/rows.h"

namespace fathom::cli::history_commands {
namespace {

struct TagWish {
  bool remove = false;
};

std::span<const options::Group> tag_groups() {
  static const options::Row rows[] = {options::flag<&TagWish::remove>({"remove", "", "remove the tag from the run"})};
  static const options::Group all[] = {{"", rows}, {"", history_rows()}};
  return all;
}

std::span<const options::Group> delete_groups() {
  static const options::Group all[] = {{"", history_rows()}};
  return all;
}

base::Expected<int> tag_run(const Given& given, const TagWish& wish, const HistoryWish& where) {
  if (auto ok = need_arguments(given, 2, 2, given.arguments.empty() ? "ID" : "NAME"); !ok) return ok.error();
  auto store = open_history(where);
  if (!store) return store.error();
  const auto id = store->find_one(given.arguments[0]);
  if (!id) return id.error();
  const auto& name = given.arguments[1];
  if (auto ok = wish.remove ? store->untag(*id, name) : store->tag(*id, name); !ok) return ok.error();
  return static_cast<int>(kOk);
}

base::Expected<int> delete_runs(const Given& given, const HistoryWish& where) {
  if (auto ok = need_arguments(given, 1, SIZE_MAX, "ID"); !ok) return ok.error();
  auto store = open_history(where);
  if (!store) return store.error();
  std::vector<std::uint64_t> ids;
  for (const auto& name : given.arguments) {
    const auto id = store->find_one(name);
    if (!id) return id.error();
    if (std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  if (auto ok = store->remove(ids); !ok) return ok.error();
  return static_cast<int>(kOk);
}

}  // namespace

const Manual& history_tag_manual() {
  static const Manual manual{"fathom history tag", "[OPTIONS] ID NAME",
                             "Gives a run a tag. Several runs may have one tag, and a run several tags.\n",
                             tag_groups()};
  return manual;
}

const Manual& history_delete_manual() {
  static const Manual manual{
      "fathom history delete", "[OPTIONS] ID...",
      "Deletes runs from a history: all of them or, after an error, none. The file keeps its size,\n"
      "and later runs use the space.\n",
      delete_groups()};
  return manual;
}

int history_tag_command(std::span<const std::string> args) {
  TagWish wish;
  HistoryWish where;
  return carry_out(history_tag_manual(), args, options::Targets(wish, where),
                   [&](const Given& given) { return tag_run(given, wish, where); });
}

int history_delete_command(std::span<const std::string> args) {
  HistoryWish where;
  return carry_out(history_delete_manual(), args, options::Targets(where),
                   [&](const Given& given) { return delete_runs(given, where); });
}

}  // namespace fathom::cli::history_commands
