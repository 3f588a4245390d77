// Wraps lines to the terminal's width. A longer line is broken at a space, and continues in lines indented four columns
// deeper. A word that is wider than the line stays whole. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::base::text {

std::string wrapped(std::string_view text, std::size_t columns);
// Columns of one line: its characters.
std::size_t columns_of(std::string_view line);
// The first `columns` of a line.
std::string_view cut_at(std::string_view line, std::size_t columns);

}  // namespace fathom::base::text
