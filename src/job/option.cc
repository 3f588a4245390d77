// The table of tables, and the look-up by name. Engines' options are looked at last, so that they do not make a beginning
// ambiguous that fio takes. Built options come first, so that of two names that are as near the one that works is said.
#include "job/option.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/nearest.h"
#include "job/switches.h"
#include "options/command_line.h"

namespace fathom::job {
namespace {

std::span<const Group> all_options() {
  static const std::vector<Group> groups = [] {
    std::vector<Group> all{
        {"Job description", description_options()},
        {"Files and devices", target_options()},
        {"Kind of I/O", io_options()},
        {"Block size", block_options()},
        {"Engine and depth", depth_options()},
        {"Time", time_options()},
        {"Rate", rate_options()},
        {"Processes and order", process_options()},
        {"Verification", verify_options()},
        {"Measuring", measure_options()},
    };
    all.insert(all.end(), engine_options().begin(), engine_options().end());
    all.push_back({"Accepted without effect", accepted_options()});
    all.push_back({"Not built yet", options_not_built()});
    return all;
  }();
  return groups;
}

std::unordered_map<std::string_view, const Row*> make_index() {
  std::unordered_map<std::string_view, const Row*> index;
  for (const auto& group : all_options())
    for (const auto& row : group.rows)
      for (const auto name : row.names()) index.emplace(name, &row);
  return index;
}

void add_names(std::vector<std::string_view>& names, std::span<const Group> groups) {
  for (const auto& group : groups)
    for (const auto& row : group.rows)
      for (const auto name : row.names())
        if (name.size() > 1 && (row.words.status != Status::not_built || name == row.name())) names.push_back(name);
}

std::vector<const Row*> candidates(std::string_view start) {
  const auto begins = [&](std::string_view name) { return name.starts_with(start); };
  auto found = rows_named(all_options(), begins);
  const auto switched = rows_named(switches(), begins);
  found.insert(found.end(), switched.begin(), switched.end());
  const auto of_engines = [](const Row* row) { return !row->words.engines.empty(); };
  if (!std::all_of(found.begin(), found.end(), of_engines)) std::erase_if(found, of_engines);
  return found;
}

base::Error unknown(std::string_view written) {
  std::vector<std::string_view> names;
  add_names(names, all_options());
  add_names(names, switches());
  return options::usage_error(
      fmt::format("`--{}` is not an option", written), "neither fathom nor fio has an option of that name",
      base::did_you_mean(written, names, "`--help` lists the options of the program, `--cmdhelp` those of a job",
                         "--"));
}

}  // namespace

std::span<const Group> option_groups() { return all_options().first(all_options().size() - 1); }

const Row* find_option(std::string_view name) {
  static const auto index = make_index();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

base::Expected<const Row*> match_name(std::string_view written) {
  if (const Row* row = find_switch(written)) return row;
  if (const Row* row = find_option(written)) return row;
  const auto found = written.empty() ? std::vector<const Row*>{} : candidates(written);
  if (found.size() == 1) return found.front();
  if (found.empty()) return unknown(written);
  return options::ambiguous(fmt::format("--{}", written), found);
}

std::string suggest_option(std::string_view written, std::string_view otherwise, std::string_view before) {
  std::vector<std::string_view> names;
  add_names(names, all_options());
  return base::did_you_mean(written, names, otherwise, before);
}

const Applied* Draft::find(std::string_view name) const {
  for (const auto* list : {&applied, &inherited})
    for (auto it = list->rbegin(); it != list->rend(); ++it)
      if (it->option->name() == name) return &*it;
  return nullptr;
}

}  // namespace fathom::job
