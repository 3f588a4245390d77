// Built options come first, so that of two that are as near the one that works is named. A few hundred short strings,
// looked at only when something is wrong already.
#include "job/suggest.h"

#include <vector>

#include "base/nearest.h"
#include "job/not_built.h"
#include "job/option.h"
#include "job/switches.h"

namespace fathom::job {
namespace {

void add_names(std::vector<std::string_view>& names, std::span<const Group> groups) {
  for (const auto& group : groups)
    for (const auto& row : group.rows)
      for (const auto name : row.names())
        if (name.size() > 1) names.push_back(name);
}

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  add_names(names, option_groups());
  for (const auto& option : options_not_built()) names.push_back(option.name);
  return names;
}

}  // namespace

std::string suggest_option(std::string_view written, std::string_view otherwise, std::string_view before) {
  return base::did_you_mean(written, option_names(), otherwise, before);
}

std::string suggest_argument(std::string_view written, std::string_view otherwise) {
  auto names = option_names();
  add_names(names, switches());
  return base::did_you_mean(written, names, otherwise, "--");
}

}  // namespace fathom::job
