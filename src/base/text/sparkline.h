// Values in one line of characters; the height of each shows its value. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace fathom::base::text {

// At most `width` characters, each a mean; zero is the lowest level. Without utf8: from "_" to "%".
std::string sparkline(std::span<const double> values, std::size_t width, bool utf8);

}  // namespace fathom::base::text
