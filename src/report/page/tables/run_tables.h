// The tables of a run on a page, each with the figure next to it. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/result.h"

namespace fathom::report::page::tables {

// number: index of the result on the page, for the figures.
std::string run_section(const result::Run& run, std::size_t number);

}  // namespace fathom::report::page::tables
