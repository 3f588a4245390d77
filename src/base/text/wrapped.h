// Lines as wide as the terminal that they are read on: a longer one is broken at a space, and goes on in lines indented
// four columns deeper than itself. A word that is wider than that stays whole. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::base::text {

std::string wrapped(std::string_view text, std::size_t columns);

}  // namespace fathom::base::text
