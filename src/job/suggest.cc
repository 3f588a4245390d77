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

std::vector<std::string_view> option_names() {
  std::vector<std::string_view> names;
  for (const auto& group : option_groups())
    for (const auto& option : group.options) {
      names.push_back(option.name());
      for (const auto alias : option.words.aliases)
        if (!alias.empty()) names.push_back(alias);
    }
  for (const auto& option : options_not_built()) names.push_back(option.name);
  return names;
}

}  // namespace

std::string suggest_option(std::string_view written, std::string_view otherwise, std::string_view before) {
  return base::did_you_mean(written, option_names(), otherwise, before);
}

std::string suggest_argument(std::string_view written, std::string_view otherwise) {
  auto names = option_names();
  for (const auto& s : switches()) names.push_back(s.name);
  return base::did_you_mean(written, names, otherwise, "--");
}

}  // namespace fathom::job
