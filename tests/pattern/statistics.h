// Chi-square of counts against expected counts; neighbours are pooled until a cell expects at least 10.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace fathom::pattern::testing {

struct ChiSquare {
  double value = 0;
  std::size_t cells = 0;
  // Within 4 standard deviations of its mean (degrees of freedom k: mean k, variance 2k).
  bool plausible() const {
    const double k = static_cast<double>(cells) - 1;
    return cells > 1 && value < k + 4 * std::sqrt(2 * k) && value > k - 4 * std::sqrt(2 * k) - 4;
  }
};

inline ChiSquare chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  ChiSquare chi;
  double count = 0, want = 0;
  const auto close = [&] {
    chi.value += (count - want) * (count - want) / want;
    ++chi.cells;
    count = want = 0;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    count += counts[i];
    want += expected[i];
    if (want >= 10) close();
  }
  if (want > 1) close();
  return chi;
}

}  // namespace fathom::pattern::testing
