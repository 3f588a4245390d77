// Tests and sources of clocks on a page: the verdict first, then pairs of CPUs, or the cost of each clock. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/clock_sources.h"
#include "result/commands/clock_test.h"

namespace fathom::report::page::tables {

// number: index of the result on the page, for the figures.
std::string clock_test_section(const result::ClockTest& test, std::size_t number);
std::string clock_sources_section(const result::ClockSources& sources, std::size_t number);

}  // namespace fathom::report::page::tables
