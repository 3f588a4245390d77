// The table of tables, and the look-up by name.
#include "job/option.h"

#include <algorithm>
#include <unordered_map>

namespace fathom::job {
namespace {

std::unordered_map<std::string_view, const Option*> make_index() {
  std::unordered_map<std::string_view, const Option*> index;
  for (const auto& group : option_groups())
    for (const auto& option : group.options) {
      index.emplace(option.name(), &option);
      for (const auto alias : option.words.aliases)
        if (!alias.empty()) index.emplace(alias, &option);
    }
  return index;
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool Option::of_engine(std::string_view engine) const {
  return words.engines.empty() || has_word(words.engines, engine);
}

bool Option::is_called(std::string_view name) const {
  return words.name == name || std::find(words.aliases.begin(), words.aliases.end(), name) != words.aliases.end();
}

std::span<const OptionGroup> option_groups() {
  static const OptionGroup groups[] = {
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

const Option* find_option(std::string_view name) {
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
