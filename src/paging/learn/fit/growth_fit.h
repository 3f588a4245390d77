// Zipf's exponent where the kernel only says how many pages were touched, not which: from how that number grows with
// time (P. J. Denning, "The working set model for program behavior", CACM 11(5), 1968: the curve of the working set
// over the window). Equal rates fill their pages soon; a steep law goes on finding new ones for long. The fit has four
// unknowns: exponent, accesses a second, pages in use, and when the curve really began; what it says holds only if the
// rates do follow the law. Pure.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom::paging::learn::fit {

// One curve: pages touched so many seconds after all were marked untouched; times grow.
struct GrowthPoint {
  double time_s = 0, pages = 0;
};
using GrowthCurve = std::vector<GrowthPoint>;

struct GrowthFit {
  double theta = 0;
  double error = 0;  // standard error, by leaving out curves in turn (jackknife) and from the residuals
  double pages = 0, accesses_per_s = 0;
  double late = 0;    // by which part of the first point's time the times are off
  double misfit = 0;  // root mean square of the relative distance
  bool valid = false;
};
// Curves of the same times. resident_pages: there cannot be more.
GrowthFit fit_growth(const std::vector<GrowthCurve>& curves, double resident_pages);

}  // namespace fathom::paging::learn::fit
