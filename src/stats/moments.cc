// sum(x^2) - sum(x)^2/n in floating point loses the deviation of large values with small differences: 1e9 ns +- 1 ns
// gave 2 % error in long double. The squares are therefore first shifted by the whole part m of the mean. This is done
// in integers, and is exact modulo 2^128: sum((x-m)^2) = sum(x^2) - 2m sum(x) + n m^2. The remaining correction, the
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
