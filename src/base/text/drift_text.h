// The drift of a clock in a text, ppm. A drift within its error is stated as a bound of both. Pure; any thread.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>

namespace fathom::base::text {

// "-2.5 ppm (± 0.5)", or "below 0.75 ppm".
inline std::string drift_text(double drift_ppm, double bound_ppm) {
  if (std::abs(drift_ppm) <= bound_ppm) return fmt::format("below {:.3g} ppm", std::abs(drift_ppm) + bound_ppm);
  return fmt::format("{:+.3g} ppm (± {:.2g})", drift_ppm, bound_ppm);
}

}  // namespace fathom::base::text
