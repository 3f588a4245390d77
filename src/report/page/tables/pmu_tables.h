// Counted events on a page: whether all were counted and the bytes first, then a row per event. Pure.
#pragma once
#include <cstddef>
#include <string>

#include "result/commands/pmu_stat.h"

namespace fathom::report::page::tables {

// number: index of the result on the page, for the figures.
std::string pmu_section(const result::PmuStat& stat, std::size_t number);

}  // namespace fathom::report::page::tables
