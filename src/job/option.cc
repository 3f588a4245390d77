// The table of tables, and the look-up by name.
#include "job/option.h"

#include <unordered_map>

namespace fathom::job {
namespace {

std::unordered_map<std::string_view, const Row*> make_index() {
  std::unordered_map<std::string_view, const Row*> index;
  for (const auto& group : option_groups())
    for (const auto& row : group.rows) {
      index.emplace(row.name(), &row);
      for (const auto alias : row.aliases()) index.emplace(alias, &row);
    }
  return index;
}

}  // namespace

std::span<const Group> option_groups() {
  static const Group groups[] = {
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
      {"Options of engines", engine_options()},
      {"Options of ioengine=nvme", nvme_options()},
      {"Accepted without effect", accepted_options()},
  };
  return groups;
}

const Row* find_option(std::string_view name) {
  static const auto index = make_index();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

const Applied* Draft::find(std::string_view name) const {
  for (const auto* list : {&applied, &inherited})
    for (auto it = list->rbegin(); it != list->rend(); ++it)
      if (it->option->name() == name) return &*it;
  return nullptr;
}

}  // namespace fathom::job
