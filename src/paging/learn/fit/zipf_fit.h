// Zipf's exponent from bits. A page that is touched at rate r shows in an interval T with probability 1 - exp(-rT), in
// k of K intervals binomially. Pages come without their rank, and sorting noisy rates would show a slope where there is
// none; so the fit asks how many pages show k times, for every k: a mixture over the ranks, r = c rank^-theta, whose
// (theta, c) with the highest likelihood are taken. Pages that never show are left out (k = 0 truncated): they may be
// memory that nobody uses. Always seen (k = K) is as good a value as another: saturation biases nothing, it only tells
// less. Pure.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom::paging::learn::fit {

// pages[k]: how many pages showed in k of K = pages.size() - 1 intervals; of several windows: the sum.
using SeenCounts = std::vector<std::uint64_t>;

struct ZipfFit {
  double theta = 0;
  double error = 0;            // standard error; grown where the counts do not follow the law
  double misfit = 0;           // largest distance of the two cumulative distributions of k, 0..1
  double log_rate = 0;         // ln(rT) at rank pages/e
  double pages = 0;            // that are used, in one window: those that showed and those expected not to have
  double saturated_share = 0;  // of pages that showed: in every interval
  std::uint64_t seen = 0;      // page windows that the fit rests on
  bool valid = false;          // false: fewer than 50 pages showed, or all of them always
};
ZipfFit fit_zipf(const SeenCounts& counts, unsigned windows = 1);

// Of the page of a rank (1..fit.pages): touches an interval.
double page_rate(const ZipfFit& fit, double rank);
// Pages expected to show in one interval, were all rates `factor` times what the fit says.
double expected_pages(const ZipfFit& fit, double factor = 1);

}  // namespace fathom::paging::learn::fit
