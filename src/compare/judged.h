// Turns the runs of all sides into the report; the second half of comparison.h. Pure.
#pragma once
#include <vector>

#include "compare/comparison.h"

namespace fathom::compare {

base::Expected<void> judge(const Asked& asked, Kind kind, const std::vector<Metric>& metrics,
                           const std::vector<Side*>& sides, result::Compare& out);

// How differences in measurement conditions affect the comparison, one sentence each.
std::vector<std::string> how_measured(const std::vector<Side*>& sides);
// Ranks the runs of two sides by time. false: the time of some runs is unknown, and A comes first.
bool place_by_time(Side& a, Side& b);

}  // namespace fathom::compare
