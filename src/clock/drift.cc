// Drift over a run.
#include "clock/drift.h"

namespace fathom::clock {
namespace {

constexpr unsigned kReadings = 16;

}  // namespace

std::optional<Drift> drift_of(std::span<const Bracket> begin, std::span<const Bracket> end,
                              const Conversion& conversion) {
  if (begin.empty() || end.empty()) return std::nullopt;
  std::vector<Bracket> all(begin.begin(), begin.end());
  all.insert(all.end(), end.begin(), end.end());
  const auto range = rate_of(all);
  if (!range) return std::nullopt;
  const double hz = range->middle_hz();
  return Drift{(hz / conversion.ticks_per_second() - 1) * 1e6, range->bound_ppm(),
               end.back().after_ns - begin.front().before_ns, hz};
}

void DriftMeter::begin() { begin_ = read_brackets(kReadings, source_); }

std::optional<Drift> DriftMeter::end(const Conversion& conversion) const {
  return drift_of(begin_, read_brackets(kReadings, source_), conversion);
}

}  // namespace fathom::clock
