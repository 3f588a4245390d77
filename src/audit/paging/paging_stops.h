// run.stopped of a paging run: one access of a large part of the window, or points of the series in which hardly any
// access ended. Pure.
#pragma once
#include <vector>

#include "audit/paging/paging_case.h"
#include "result/finding.h"

namespace fathom::audit::paging {

inline constexpr double kShortest_s = 0.99;  // a run of 1 s, without the edges of its threads

// Appends at most one finding.
void check_stops(const PagingCase& c, std::vector<result::Finding>& out);

}  // namespace fathom::audit::paging
