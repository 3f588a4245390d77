// See write_share.h.
#include "paging/learn/fit/write_share.h"

#include <algorithm>
#include <cmath>

namespace fathom::paging::learn::fit {
namespace {

constexpr double kSaturated = 0.9;  // share of intervals above which a page gives no rate
constexpr std::size_t kFewestUnsaturatedPages = 30;
constexpr double kIntervals = 0.05;  // relative error of both intervals
constexpr double kNearlyAll = 0.97;  // of the pages: above it, touches per write are unknown

double rate(std::uint32_t seen, std::uint32_t intervals) {
  return -std::log1p(-static_cast<double>(seen) / static_cast<double>(intervals));
}

// The factor of touches over writes at which this number of pages is expected.
double factor_for(const ZipfFit& writes, double pages) {
  double low = 1, high = 1024;
  if (expected_pages(writes, low) >= pages) return low;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (expected_pages(writes, middle) < pages ? low : high) = middle;
  }
  return low;
}

}  // namespace

WriteShare share_of_pages(const std::vector<std::uint32_t>& touched, std::uint32_t touched_intervals,
                          double touched_interval_s, const std::vector<std::uint32_t>& written,
                          std::uint32_t written_intervals, double written_interval_s) {
  WriteShare out;
  if (touched_intervals == 0 || written_intervals == 0) return out;
  double touches = 0, writes = 0, variance = 0;
  std::size_t pages = 0;
  for (std::size_t i = 0; i < std::min(touched.size(), written.size()); ++i) {
    const double a = static_cast<double>(touched[i]) / touched_intervals;
    const double b = static_cast<double>(written[i]) / written_intervals;
    if (a > kSaturated || b > kSaturated || (touched[i] == 0 && written[i] == 0)) continue;
    ++pages;
    touches += rate(touched[i], touched_intervals) / touched_interval_s;
    writes += rate(written[i], written_intervals) / written_interval_s;
    variance += b / (1 - b) / written_intervals / (written_interval_s * written_interval_s);
  }
  if (pages < kFewestUnsaturatedPages || touches <= 0) return out;
  out.known = true;
  out.share = std::min(1.0, writes / touches);
  out.error = std::sqrt(variance) / touches + kIntervals * out.share;
  return out;
}

WriteShare share_of_totals(const ZipfFit& writes, double touched_pages, double touched_pages_error, double longer) {
  WriteShare out;
  if (!writes.valid || touched_pages > kNearlyAll * writes.pages) return out;
  const auto share = [&](double pages) { return std::min(1.0, longer / factor_for(writes, pages)); };
  out.known = true;
  out.share = share(touched_pages);
  out.error = std::fabs(share(touched_pages + touched_pages_error) - out.share);
  return out;
}

}  // namespace fathom::paging::learn::fit
