// Two counts of the same bytes may have the ratio of two units. This is not chance: one count was multiplied by the
// wrong unit (words of 4 bytes, beats of 8, 32 or 64, sectors of 512, the 16 of a driver that has already multiplied).
// Pure.
#pragma once
#include <optional>

namespace fathom::stats {

inline constexpr double kUnitFactors[] = {4, 8, 16, 32, 64, 512};  // and their inverses
inline constexpr double kUnitBelow = 0.97, kUnitAbove = 1.10;      // commands add up to a tenth
inline constexpr double kLeastUnitBytes = 1 << 20;                 // fewer bytes are no evidence

// The factor that seen / expected is close to. nullopt: close to no factor, or too few bytes.
inline std::optional<double> unit_factor(double seen_bytes, double expected_bytes) {
  if (!(seen_bytes > 0) || expected_bytes < kLeastUnitBytes) return std::nullopt;
  const double ratio = seen_bytes / expected_bytes;
  const auto near = [&](double factor) { return ratio >= factor * kUnitBelow && ratio <= factor * kUnitAbove; };
  for (const double factor : kUnitFactors) {
    if (near(factor)) return factor;
    if (near(1 / factor)) return 1 / factor;
  }
  return std::nullopt;
}

}  // namespace fathom::stats
