// One look for the step, one for the digits.
#include "base/text/unit_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::base::text {
namespace {

int three(double units) { return units >= 99.95 ? 0 : units >= 9.995 ? 1 : 2; }

// By one operation with a whole number, so that what is written with few digits is shown with no others: 1e-3 is no
// binary fraction.
double in_unit(double magnitude, const UnitStep& step) {
  if (step.digits == Digits::one_up) return std::ceil(magnitude / (step.size / 10)) / 10;
  return step.size < 1 ? magnitude * std::round(1 / step.size) : magnitude / step.size;
}

// units: not negative.
std::string number_text(double units, Digits digits) {
  switch (digits) {
    case Digits::none_from_ten:
      if (units < 9.5) return fmt::format("{:.3g}", units);
      [[fallthrough]];
    case Digits::none:
      return fmt::format("{:.0f}", units);
    case Digits::one:
    case Digits::one_up:  // rounded up before
      return fmt::format("{:.1f}", units);
    case Digits::one_if_any:
      return fmt::format("{:.{}f}", units, units == std::floor(units) ? 0 : 1);
    case Digits::three_short:
      if (units >= 1e5) return fmt::format("{:.2g}", units);
      [[fallthrough]];
    case Digits::three:
      return fmt::format("{:.{}f}", units, three(units));
    case Digits::three_cut:
      return fmt::format("{:.{}f}", units, units >= 100 ? 0 : units >= 10 ? 1 : 2);
    case Digits::none_up:
      return fmt::format("{:.0f}", std::ceil(units));
    case Digits::general:
      break;
  }
  return fmt::format("{:g}", units);
}

}  // namespace

const UnitStep& step_of(double value, std::span<const UnitStep> scale) {
  const double magnitude = std::abs(value);
  for (const auto& step : scale)
    if (magnitude >= step.from) return step;
  return scale.back();  // not a number
}

std::string unit_text(double value, std::span<const UnitStep> scale) {
  const auto& step = step_of(value, scale);
  return (value < 0 ? "-" : "") + number_text(in_unit(std::abs(value), step), step.digits) + std::string(step.unit);
}

std::string minutes_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 1.5 * kMinute) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 1.5 * kHour) return fmt::format("{:.0f} min", std::ceil(seconds / kMinute));
  return fmt::format("{:.1f} h", std::ceil(10 * seconds / kHour) / 10);
}

std::string duration_text(double ns) {
  constexpr double kMinute_ns = 60e9;
  if (!(ns >= kMinute_ns - 5e7)) return unit_text(ns, kTimeLive);
  const auto seconds = static_cast<std::uint64_t>(std::llround(std::min(ns / 1e9, 1e15)));
  const auto hours = seconds / 3600, minutes = seconds / 60 % 60, rest = seconds % 60;
  std::string out = hours > 0 ? fmt::format("{} h", hours) : "";
  if (minutes > 0) out += fmt::format("{}{} min", out.empty() ? "" : " ", minutes);
  if (rest > 0) out += fmt::format(" {} s", rest);
  return out;
}

std::string with_commas(double value, bool fraction) {
  std::string digits = fmt::format("{:.{}f}", value, fraction ? 2 : 0);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(digits.find('.'), digits.size());
  while (at > first + 3) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace fathom::base::text
