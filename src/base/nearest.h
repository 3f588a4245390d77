// "Did you mean": the known name that is fewest edits away, if it is near enough to have been meant. Everything that
// suggests a name asks here, so that the bound is one. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom::base {

// Empty where nothing is near: more than a third of the letters would have to change (of three letters or fewer more
// than one, of four and five more than two), or just as many and the names do not even begin alike. Of names that are
// equally near the one that begins alike wins.
std::string nearest_name(std::string_view written, std::span<const std::string_view> known);
std::string nearest_name(std::string_view written, std::span<const std::string> known);

// "did you mean `x`?", with `before` in front of the name (`--`, `ioengine=`), or `otherwise`.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> known, std::string_view otherwise,
                         std::string_view before = {});
std::string did_you_mean(std::string_view written, std::span<const std::string> known, std::string_view otherwise);

}  // namespace fathom::base
