// A percentage has few digits, for quick reading; the JSON has all digits.
#include "audit/text.h"

#include <fmt/format.h>

#include <cmath>

namespace fathom::audit {

std::string percent_text(double seen, double expected) {
  if (expected <= 0) return "-";
  const double percent = 100 * (seen - expected) / expected;
  const int digits = std::abs(percent) < 9.995 ? 2 : std::abs(percent) < 99.95 ? 1 : 0;
  // No sign for zero: readers would take it for a difference.
  const bool zero = std::abs(percent) < 0.005;
  return fmt::format("{:+.{}f} %", zero ? 0.0 : percent, digits);
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

}  // namespace fathom::audit
