// Count, minimum, maximum, mean and deviation from integer sums: exact, mergeable by addition, and no division per
// sample. A sum of squares of ns fits 128 bits for 10^10 samples of up to 10^14 ns.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fathom::stats {

struct Moments {
  std::uint64_t n = 0;
  std::uint64_t max = 0;
  std::uint64_t min_inverted = 0;  // ~min, so that all-zero bytes are an empty Moments
  std::uint64_t sum = 0;
  unsigned __int128 sum_squares = 0;

  [[gnu::always_inline]] void add(std::uint64_t v) {
    ++n;
    sum += v;
    sum_squares += static_cast<unsigned __int128>(v) * v;
    // The branch is rarely taken, and then no store waits for a load.
    if (v > max) [[unlikely]]
      max = v;
    if (~v > min_inverted) [[unlikely]]
      min_inverted = ~v;
  }
  // Adds the same value `times` times.
  [[gnu::always_inline]] void add_many(std::uint64_t v, std::uint64_t times) {
    n += times;
    sum += v * times;
    sum_squares += static_cast<unsigned __int128>(v) * v * times;
    if (v > max) [[unlikely]]
      max = v;
    if (~v > min_inverted) [[unlikely]]
      min_inverted = ~v;
  }
  void merge(const Moments& o) {
    n += o.n;
    sum += o.sum;
    sum_squares += o.sum_squares;
    max = std::max(max, o.max);
    min_inverted = std::max(min_inverted, o.min_inverted);
  }
  std::uint64_t min() const { return n == 0 ? 0 : ~min_inverted; }
  double mean() const { return n == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(n); }
  // Sample standard deviation (n - 1), 0 for fewer than two samples.
  double stddev() const;
  bool operator==(const Moments&) const = default;
};

}  // namespace fathom::stats
