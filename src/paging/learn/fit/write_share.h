// The share of writes among touches, from rates. "Pages dirtied over pages touched" is not that share: a page touched
// ten times with three writes counts in both. The two ways depend on what the method saw. Both hold for touches that
// come one by one. Several touches of a page at once count as one, so the share is of visits to a page. Pure.
#pragma once
#include <cstdint>
#include <vector>

#include "paging/learn/fit/zipf_fit.h"

namespace fathom::paging::learn::fit {

struct WriteShare {
  double share = 0;  // of touches, 0..1
  double error = 0;  // standard error
  bool known = false;
};

// If both bits of the same pages are known: the sums of their rates, each -ln(1 - k/K), over the pages with neither bit
// saturated. touched[i] and written[i] are counts of page i over K intervals of equal length.
WriteShare share_of_pages(const std::vector<std::uint32_t>& touched, std::uint32_t touched_intervals,
                          double touched_interval_s, const std::vector<std::uint32_t>& written,
                          std::uint32_t written_intervals, double written_interval_s);

// For written pages known one by one (their law is `writes`), and touched pages known only by number, the mean per
// interval. If every page has the same share, all rates are those of the writes divided by it. longer: the interval of
// the touches over that of the writes.
WriteShare share_of_totals(const ZipfFit& writes, double touched_pages, double touched_pages_error, double longer = 1);

}  // namespace fathom::paging::learn::fit
