// The deviation of large values that differ little is lost when sum(x^2) - sum(x)^2/n is formed in floating point (1e9
// ns +- 1 ns gave 2 % error in long double). So the squares are first moved to the whole part m of the mean, in
// integers, where nothing is lost: sum((x-m)^2) = sum(x^2) - 2m sum(x) + n m^2, exact modulo 2^128. What is left, the
// fraction of the mean, is small.
#include "stats/moments.h"

namespace fathom::stats {

double Moments::stddev() const {
  if (n < 2) return 0.0;
  const unsigned __int128 whole_mean = sum / n;
  const unsigned __int128 around_whole_mean = sum_squares - 2 * whole_mean * sum + whole_mean * whole_mean * n;
  const auto rest = static_cast<long double>(sum % n);
  const auto count = static_cast<long double>(n);
  const long double centred = static_cast<long double>(around_whole_mean) - rest * rest / count;
  return centred <= 0 ? 0.0 : static_cast<double>(sqrtl(centred / (count - 1)));
}

}  // namespace fathom::stats
