// One table of steps a kind of number: the largest step that is not above the value gives the unit.
#include "report/paging_words.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

namespace fathom::report {
namespace {

struct Step {
  double size;
  const char* unit;
};
constexpr Step kTimes[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
constexpr Step kCounts[] = {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}};
constexpr Step kBytes[] = {{0x1p60, "EiB"}, {0x1p50, "PiB"}, {0x1p40, "TiB"},
                           {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};

// Three digits, without an exponent up to 99,999 units.
std::string three_digits(double value) {
  if (value >= 1e5) return fmt::format("{:.2g}", value);
  return fmt::format("{:.{}f}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

const Step* step_of(std::span<const Step> steps, double value) {
  for (const auto& step : steps)
    if (value >= step.size * 0.9995) return &step;
  return nullptr;
}

}  // namespace

std::string short_time(double ns) {
  if (ns < 0) return "-" + short_time(-ns);
  const auto* step = step_of(kTimes, ns);
  return step ? three_digits(ns / step->size) + step->unit : fmt::format("{:.0f}ns", ns);
}

std::string short_count(double count) {
  if (count < 1e7) return fmt::format("{:.0f}", count);
  const auto* step = step_of(kCounts, count);
  return three_digits(count / step->size) + step->unit;
}

std::string short_bytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const auto* step = step_of(kBytes, value);
  if (!step) return fmt::format("{} B", bytes);
  const double units = value / step->size;
  return fmt::format("{:.{}f} {}", units, units == std::floor(units) ? 0 : 1, step->unit);
}

std::string short_percent(double percent) {
  if (percent == 0) return "0";
  if (percent < 0.05) return "<0.1%";
  return fmt::format("{:.{}f}%", percent, percent >= 99.95 ? 0 : 1);
}

std::string short_range(double begin_ns, double end_ns) {
  const auto* step = step_of(kTimes, end_ns);
  if (!step) return fmt::format("{:.0f}-{:.0f}ns", begin_ns, end_ns);
  return fmt::format("{:.4g}-{:.4g}{}", begin_ns / step->size, end_ns / step->size, step->unit);
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  const std::size_t room = width > indent.size() + 20 ? width - indent.size() : 20;
  std::string out;
  while (!text.empty()) {
    std::size_t take = text.size();
    if (take > room) {
      const auto space = text.rfind(' ', room);
      take = space == std::string_view::npos || space == 0 ? std::min(text.find(' ', 1), text.size()) : space;
    }
    out += fmt::format("{}{}\n", indent, text.substr(0, take));
    text.remove_prefix(std::min(text.size(), take + 1));
  }
  return out;
}

}  // namespace fathom::report
