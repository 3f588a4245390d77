// A sweep on a page: limit and knee first, then each curve as a plot and a table. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/sweep.h"

namespace fathom::report::page::tables {

// number: index of the result on the page, for the figures.
std::string sweep_section(const result::Sweep& sweep, std::size_t number);

}  // namespace fathom::report::page::tables
