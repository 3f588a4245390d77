// The tables of a run on a page, each with the figure that is drawn beside it. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/result.h"

namespace fathom::report::page {

// number: which of the page's results it is, for the figures.
std::string run_section(const result::Run& run, std::size_t number);

}  // namespace fathom::report::page
