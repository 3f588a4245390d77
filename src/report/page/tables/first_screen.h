// The first screen of a run on a page: a badge, the numbers of the verdict in large type, the worst finding, the next
// step and one plot. Below it the findings, one line each, the largest effect first. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "result/result.h"

namespace fathom::report::page::tables {

// number: index of the result on the page. repetitions: the run's own, which parts::shown() omits.
std::string first_screen(const result::Run& run, std::span<const result::Run> repetitions, std::size_t number);
std::string findings_html(const result::Run& run, std::size_t number);

}  // namespace fathom::report::page::tables
