// What a reader wants to know first, in six lines: what was measured, how fast it was, how sure that is, whether its
// checks passed, the worst finding, and what to do next. No line is longer than the columns that there are: the finding and
// what to do go on with on the next line, the others are cut.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "result/result.h"

namespace fathom::report::headline {

// Names in it are as the result has them: of parts::shown(). Empty of a run that measured nothing.
inline constexpr std::size_t kUsualColumns = 80;
// repetitions: the run's own, which parts::shown() leaves out; intervals of several jobs' sums are of them.
std::string verdict(const result::Run& run, std::size_t columns = kUsualColumns,
                    std::span<const result::Run> repetitions = {});

}  // namespace fathom::report::headline
