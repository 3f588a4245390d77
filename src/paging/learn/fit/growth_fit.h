// Zipf's exponent if the kernel reports only how many pages were touched, not which: from the growth of that number
// with time (P. J. Denning, "The working set model for program behavior", CACM 11(5), 1968: the curve of the working
// set over the window). With equal rates, the pages fill soon; a steep law finds new pages for long. The fit has four
// unknowns: exponent, accesses per second, pages in use, and the true start of the curve. The result holds only if the
// rates follow the law. Pure.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom::paging::learn::fit {

// One curve: pages touched within time_s after all were marked untouched; times grow.
struct GrowthPoint {
  double time_s = 0, pages = 0;
};
using GrowthCurve = std::vector<GrowthPoint>;

struct GrowthFit {
  double theta = 0;
  double error = 0;  // standard error, from leaving out curves in turn (jackknife) and from the residuals
  double pages = 0, accesses_per_s = 0;
  double late = 0;    // offset of the times, as a part of the first point's time
  double misfit = 0;  // root mean square of the relative distance
  bool valid = false;
};
// All curves have the same times. resident_pages: the most pages possible.
GrowthFit fit_growth(const std::vector<GrowthCurve>& curves, double resident_pages);

}  // namespace fathom::paging::learn::fit
