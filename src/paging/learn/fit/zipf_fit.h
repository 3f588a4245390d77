// Zipf's exponent from bits. A page that is touched at rate r shows in an interval T with probability 1 - exp(-rT), in
// k of K intervals binomially. Pages come without their rank, and sorting noisy rates would show a slope that does not
// exist. So the fit counts the pages that show k times, for every k: a mixture over the ranks, r = c rank^-theta. It
// takes the (theta, c) with the highest likelihood. Pages that never show are omitted (k = 0 truncated): they may be
// unused memory. Pages that always show (k = K) are as valid as others: saturation causes no bias, it only adds less
// information. Pure.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom::paging::learn::fit {

// pages[k]: pages that showed in k of K = pages.size() - 1 intervals; for several windows: the sum.
using SeenCounts = std::vector<std::uint64_t>;

struct ZipfFit {
  double theta = 0;
  double error = 0;            // standard error; larger if the counts do not follow the law
  double misfit = 0;           // largest distance of the two cumulative distributions of k, 0..1
  double log_rate = 0;         // ln(rT) at rank pages/e
  double pages = 0;            // used in one window: those that showed and those expected not to have
  double saturated_share = 0;  // of pages that showed: in every interval
  std::uint64_t seen = 0;      // page windows that the fit uses
  bool valid = false;          // false: fewer than 50 pages showed, or all of them always
};
ZipfFit fit_zipf(const SeenCounts& counts, unsigned windows = 1);

// Touches per interval of the page at a rank (1..fit.pages).
double page_rate(const ZipfFit& fit, double rank);
// Pages expected to show in one interval if all rates were `factor` times the fitted ones.
double expected_pages(const ZipfFit& fit, double factor = 1);

}  // namespace fathom::paging::learn::fit
