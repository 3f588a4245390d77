// Edit distance over every known name: a few hundred short strings, looked at only when something is wrong already.
#include "job/suggest.h"

#include <vector>

#include "base/parse.h"
#include "job/not_built.h"
#include "job/option.h"

namespace fathom::job {

std::string_view nearest(std::string_view text, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 64;
  const std::string lower = base::to_lower(text.substr(0, kLongest));
  std::string_view best;
  unsigned best_distance = ~0u;
  for (const auto name : names) {
    const unsigned distance = base::edit_distance(lower, name);
    if (distance >= best_distance) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

std::string_view nearest_option(std::string_view text) {
  std::vector<std::string_view> names;
  for (const auto& group : option_groups())
    for (const auto& option : group.options) {
      names.push_back(option.name());
      for (const auto alias : option.words.aliases)
        if (!alias.empty()) names.push_back(alias);
    }
  for (const auto& option : options_not_built()) names.push_back(option.name);
  return nearest(text, names);
}

}  // namespace fathom::job
