// Computes the drift over a run.
#include "clock/drift.h"

#include <sched.h>

#include <algorithm>
#include <cmath>

namespace fathom::clock {
namespace {

constexpr unsigned kReadings = 16;

}  // namespace

std::optional<Drift> drift_of(std::span<const sources::Bracket> begin, std::span<const sources::Bracket> end,
                              const sources::Conversion& conversion) {
  if (begin.empty() || end.empty()) return std::nullopt;
  std::vector<sources::Bracket> all(begin.begin(), begin.end());
  all.insert(all.end(), end.begin(), end.end());
  const auto range = sources::rate_of(all);
  if (!range) return std::nullopt;
  const double hz = range->middle_hz();
  return Drift{(hz / conversion.ticks_per_second() - 1) * 1e6, range->bound_ppm(),
               end.back().after_ns - begin.front().before_ns, hz};
}

double shown_ppm(const Drift& drift) {
  return std::copysign(std::max(0.0, std::abs(drift.drift_ppm) - drift.bound_ppm), drift.drift_ppm);
}

void DriftMeter::begin() {
  cpu_ = ::sched_getcpu();
  begin_ = sources::read_brackets(kReadings, source_);
}

std::optional<Drift> DriftMeter::end(const sources::Conversion& conversion, double offset_ns) const {
  auto drift = drift_of(begin_, sources::read_brackets(kReadings, source_), conversion);
  if (drift && ::sched_getcpu() != cpu_) drift->bound_ppm += 1e6 * offset_ns / static_cast<double>(drift->over_ns);
  return drift;
}

}  // namespace fathom::clock
