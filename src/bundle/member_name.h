// Which names a member of a bundle may have. Unpacking a bundle with any program must not write outside of its
// directory, and a name must not change a terminal. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fathom::bundle {

inline constexpr std::size_t kMostNameBytes = 255;

// Why the name is refused; empty: it is accepted.
std::string refusal_of(std::string_view name);

}  // namespace fathom::bundle
