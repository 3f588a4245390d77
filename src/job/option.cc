// The table of tables, and the look-up by name. Supported options come first: of two equally near names, the suggestion
// is the supported one.
#include "job/option.h"

#include <unordered_map>
#include <vector>

#include "base/nearest.h"
#include "io/data_placement.h"

namespace fathom::job {

std::span<const Group> all_options() {
  static const std::vector<Group> groups = [] {
    std::vector<Group> all{
        {"Job description", description_options()},
        {"Files and devices", target_options()},
        {"Kind of I/O", io_options()},
        {"Contents of writes", content_options()},
        {"Block size", block_options()},
        {"Which offset and size comes next", offset_options()},
        {"Zones", zone_options()},
        {"Data placement", io::kDataPlacementRows},
        {"Engine and depth", depth_options()},
        {"Time", time_options()},
        {"Rate", rate_options()},
        {"Processes and order", process_options()},
        {"The machine and the process", machine_options()},
        {"Errors and ends", errors_options()},
        {"Limits and flows", control_options()},
        {"Verification", verify_options()},
        {"Measuring", measure_options()},
        {"Logs", log_options()},
        {"Replay", replay_options()},
        {"Profiles", profile_options()},
    };
    all.insert(all.end(), engine_options().begin(), engine_options().end());
    all.push_back({"Not built yet", options_not_built()});
    return all;
  }();
  return groups;
}

namespace {

std::unordered_map<std::string_view, const Row*> make_index() {
  std::unordered_map<std::string_view, const Row*> index;
  for (const auto& group : all_options())
    for (const auto& row : group.rows)
      for (const auto name : row.names()) index.emplace(name, &row);
  return index;
}

}  // namespace

std::span<const Group> option_groups() { return all_options().first(all_options().size() - 1); }

const Row* find_option(std::string_view name) {
  static const auto index = make_index();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

std::string suggest_option(std::string_view written, std::string_view otherwise, std::string_view before) {
  return base::did_you_mean(written, long_names(all_options()), otherwise, before);
}

const Applied* Draft::find(std::string_view name) const {
  for (const auto* list : {&applied, &inherited})
    for (auto it = list->rbegin(); it != list->rend(); ++it)
      if (it->option->name() == name) return &*it;
  return nullptr;
}

}  // namespace fathom::job
