// Jobs that report one rate, taken from the first begin to the last end, although none of them ran for a part of that
// time. Pure, any thread.
#pragma once
#include <optional>

#include "result/finding.h"
#include "result/result.h"

namespace fathom::result::sums {

inline constexpr double kIdleShare = 0.10;  // of that time: from here on the finding is made

// run.apart. Empty if the jobs are in several groups (their rates are not added), or if their times are unknown.
std::optional<Finding> apart(const Run& run);

}  // namespace fathom::result::sums
