// The status lines of `fathom paging`: accesses, faults and percentiles of the last second. A process that is observed
// has such a line too. Pure: the caller prints them.
#pragma once
#include <string>

#include "paging/learn/learn.h"
#include "paging/measure.h"

namespace fathom::live {

std::string rate_text(double per_s);
// duration_s: length of the measured window.
std::string phase_line(const paging::Progress& p, double duration_s);  // without rates, where lines below show them
std::string paging_line(const paging::Progress& p, double duration_s);
std::string learn_line(const paging::learn::LearnProgress& p);

}  // namespace fathom::live
