// One scale per unit.
#include "report/page/units.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text/unit_text.h"

namespace fathom::report::page {
namespace {

namespace text = base::text;
constexpr double kLongest_ns = 59.95e9;  // from here on in minutes

}  // namespace

std::string quantity(double value, std::string_view unit) {
  if (unit == "ns" && std::abs(value) >= kLongest_ns)
    return (value < 0 ? "-" : "") + text::duration_text(std::abs(value));
  if (unit == "ns") return text::unit_text(value, text::kTimeExact);
  if (unit == "1/s") return text::unit_text(value, text::kRateLive);
  if (unit == "bytes/s") return text::unit_text(value, text::kBytesThree) + "/s";
  if (unit == "bytes") return text::unit_text(value, text::kBytesThree);
  if (unit == "%") return percent(value);
  return fmt::format("{:.3g}{}{}", value, unit.empty() ? "" : " ", unit);
}

// Three digits, and no exponent below 100,000.
std::string percent(double value) {
  const double size = std::abs(value);
  if (!(size < 99'999)) return fmt::format("{:.2g} %", value);
  return fmt::format("{:.{}f} %", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string signed_percent(double value) { return (value >= 0 ? "+" : "") + percent(value); }

}  // namespace fathom::report::page
