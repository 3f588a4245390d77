// A comparison on a page: the verdict first, then the metrics with an arrow for better and worse, the distributions, and
// what differs between the sides. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/compare.h"

namespace fathom::report::page::tables {

// number: index of the result on the page, for the figures.
std::string compare_section(const result::Compare& compare, std::size_t number);
// "Comparison of A (old.json) and B (new.json)".
std::string compare_title(const result::Compare& compare);

}  // namespace fathom::report::page::tables
