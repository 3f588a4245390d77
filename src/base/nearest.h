// "Did you mean": finds the known name with the fewest edits, if it is near enough. All suggestions of names use this
// file, so that they share one limit. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom::base {

// Empty: no name is near. A name is too far if more than a third of its letters must change (up to three letters: more
// than one; four and five letters: more than two). It is also too far if exactly that many must change and the first
// letters differ. Among equally near names, the one with the longest common start wins.
std::string nearest_name(std::string_view written, std::span<const std::string_view> known);
std::string nearest_name(std::string_view written, std::span<const std::string> known);

// "did you mean `x`?", with `before` in front of the name (`--`, `ioengine=`), or `otherwise`.
std::string did_you_mean(std::string_view written, std::span<const std::string_view> known, std::string_view otherwise,
                         std::string_view before = {});
std::string did_you_mean(std::string_view written, std::span<const std::string> known, std::string_view otherwise);

}  // namespace fathom::base
