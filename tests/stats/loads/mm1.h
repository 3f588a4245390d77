// A queue with one server, exponential service and Poisson arrivals, and what is known of it: its time in the system is
// exponential with rate mu - lambda. Simulated by Lindley's recursion, "The theory of queues with a single server", 1952.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/prng.h"

namespace fathom::stats::loads::testing {

struct Mm1 {
  double served_per_s = 0;
  double percentile_s(double load, double p) const { return -std::log1p(-p) / (served_per_s - load); }
  double load_at(double limit_s, double p) const { return served_per_s + std::log1p(-p) / limit_s; }
};

inline double exponential(base::Prng& random, double rate) { return -std::log1p(-random.unit()) / rate; }

inline double normal(base::Prng& random) {
  return std::sqrt(-2 * std::log1p(-random.unit())) * std::cos(2 * M_PI * random.unit());
}

// Of so many customers after as many that are not counted.
inline double simulated_percentile_s(const Mm1& queue, double load, double p, std::size_t customers,
                                     base::Prng& random) {
  std::vector<double> times;
  times.reserve(customers);
  double wait = 0;
  for (std::size_t i = 0; i < 2 * customers; ++i) {
    const double service = exponential(random, queue.served_per_s);
    if (i >= customers) times.push_back(wait + service);
    wait = std::max(0.0, wait + service - exponential(random, load));
  }
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(customers));
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

}  // namespace fathom::stats::loads::testing
