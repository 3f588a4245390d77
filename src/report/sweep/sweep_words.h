// Texts that the formats of `fathom sweep` share: its answer in sentences, and the names and marks of points. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "result/commands/sweep.h"

namespace fathom::report::sweep {

const result::SweptNumber* number_of(const result::SweptPoint& point, std::string_view name);  // nullptr: none
std::string typical_text(const result::SweptNumber* number);
std::string what(const result::Sweep& sweep);           // "q.fio over iodepth: 8 points, 24 runs"
std::string failed_checks(const result::Sweep& sweep);  // empty: all passed
// Limit and knee of each curve, and whether the first point has drifted.
std::vector<std::string> answers(const result::Sweep& sweep);
// All points as one curve, for a sweep without a load.
result::SweptCurve joined(const result::Sweep& sweep);
// False: a load of the search for the limit that is no bound of it.
bool is_shown(const result::SweptPoint& point, const result::SweptCurve& curve);
std::string mark_of(const result::SweptPoint& point, const result::SweptCurve& curve);  // "knee", "meets", "misses"
// The first two of lat_p50, lat_p99 and lat_p99.9 that are not the sweep's latency.
std::vector<std::string> others(const result::Sweep& sweep);
std::string label_of(const result::Sweep& sweep, const result::SweptPoint& point);

}  // namespace fathom::report::sweep
