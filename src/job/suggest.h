// "did you mean": the known name that is nearest to what was written.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fathom::job {

// Empty only if there are no names. Of equally near names the first wins.
std::string_view nearest(std::string_view text, std::span<const std::string_view> names);

// The nearest option by name or alias, built ones first.
std::string_view nearest_option(std::string_view text);

}  // namespace fathom::job
