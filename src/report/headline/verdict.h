// The facts that a reader needs first, in six lines: what was measured, how fast it was, how certain that is, whether
// its checks passed, the worst finding, and what to do next. No line is longer than `columns`: the checks with their
// reason, the finding and the next step continue on the next line; the other lines are cut.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "result/result.h"

namespace fathom::report::headline {

// Names are printed as in the result: use that of parts::shown(). Empty for a run that measured nothing.
inline constexpr std::size_t kUsualColumns = 80;
// repetitions: the run's own, which parts::shown() omits; the intervals for sums of several jobs come from them.
std::string verdict(const result::Run& run, std::size_t columns = kUsualColumns,
                    std::span<const result::Run> repetitions = {});

}  // namespace fathom::report::headline
