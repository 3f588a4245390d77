// From the runs of all sides to what is told of them; the second half of comparison.h. Pure.
#pragma once
#include <vector>

#include "compare/comparison.h"

namespace fathom::compare {

base::Expected<void> judge(const Asked& asked, Kind kind, const std::vector<Metric>& metrics,
                           const std::vector<Side*>& sides, result::Compare& out);

// What of the way in which the sides were measured is in the difference, a sentence each.
std::vector<std::string> how_measured(const std::vector<Side*>& sides);
// Gives the runs of two sides their places, by time; false: the time of some is not known, and A comes first.
bool place_by_time(Side& a, Side& b);

}  // namespace fathom::compare
