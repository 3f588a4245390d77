// The scripted latency of ioengine=sim: a distribution with closed forms for mean and quantiles. Reported values can
// thus be compared with the true ones. A sample is the quantile of one uniform number: the same seed gives the same
// latencies.
// "const:100us" | "uniform:10us:20us" | "exp:100us" (mean) | "normal:100us:10us" (mean, deviation; below 0 counts as 0)
// | "two:100us:10ms:1%" (the second value for 1 % of the I/Os). A number without a unit is in nanoseconds.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/prng.h"

namespace fathom::engine {

class SimLatency {
 public:
  // usage: unknown distribution, invalid durations, or a latency of 0 (the simulated clock would stop).
  static base::Expected<SimLatency> parse(std::string_view text);

  double quantile_ns(double q) const { return quantile_(q, a_, b_, share_); }  // q in [0, 1)
  double mean_ns() const { return mean_(a_, b_, share_); }
  // Avoids the call of llround(); below 2^52 ns, this sum rounds the same way.
  std::uint64_t sample_ns(base::Prng& prng) const {
    return static_cast<std::uint64_t>(quantile_ns(prng.unit()) + 0.5);  // NOLINT(bugprone-incorrect-roundings)
  }

 private:
  double (*quantile_)(double q, double a, double b, double share) = nullptr;
  double (*mean_)(double a, double b, double share) = nullptr;
  double a_ = 0, b_ = 0;  // ns, in the order of the text
  double share_ = 0;      // of the second value, 0 to 1
};

}  // namespace fathom::engine
