// What fio has and fathom does not have yet, by name: such an option or engine is an error that says just that, not
// "unknown".
#pragma once
#include <span>
#include <string_view>

namespace fathom::job {

struct NotBuilt {
  std::string_view name;
  std::string_view aliases;  // separated by spaces
  std::string_view engines;  // of an engine's option; separated by spaces
};

std::span<const NotBuilt> options_not_built();
const NotBuilt* find_not_built(std::string_view name);

// fio's engines that fathom does not have.
std::span<const std::string_view> engines_not_built();
// The engines that job/ has rows for; the program's own list (Environment::engine_exists) decides when it is given.
std::span<const std::string_view> engines_known();

}  // namespace fathom::job
