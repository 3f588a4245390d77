// "Did you mean": the known name that is fewest edits away. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom::base {

// Empty where nothing is near: more than a third of the letters would have to change.
std::string nearest_name(std::string_view written, std::span<const std::string> known);

// "did you mean `x`?", or `otherwise`.
std::string did_you_mean(std::string_view written, std::span<const std::string> known, std::string_view otherwise);

}  // namespace fathom::base
