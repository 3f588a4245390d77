// Jobs that report one rate, which is taken from the first begin to the last end, and did not run for a part of that
// time. Pure, any thread.
#pragma once
#include <optional>

#include "result/finding.h"
#include "result/result.h"

namespace fathom::result::sums {

inline constexpr double kIdleShare = 0.10;  // of that time, from which it is said

// run.apart. None: jobs of several groups, whose rates are not added, or jobs that do not say when they ran.
std::optional<Finding> apart(const Run& run);

}  // namespace fathom::result::sums
