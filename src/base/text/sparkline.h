// Values in one line of characters, each as tall as its value. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace fathom::base::text {

// So many characters at most, a mean each; zero is the lowest level. Without utf8 from "_" to "%".
std::string sparkline(std::span<const double> values, std::size_t width, bool utf8);

}  // namespace fathom::base::text
