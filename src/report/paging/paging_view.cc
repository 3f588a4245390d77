// pmbench's terms. An imported run has latencies with the resolution of pmbench's first bin.
#include "report/paging/paging_view.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string_view>

namespace fathom::report::paging {

// Shares, ranges and lines.

std::string short_percent(double percent) {
  if (percent == 0) return "0";
  if (percent < 0.05) return "<0.1%";
  return fmt::format("{:.{}f}%", percent, percent >= 99.95 ? 0 : 1);
}

std::string short_range(double begin_ns, double end_ns) {
  const auto& step = base::text::step_of(end_ns, base::text::kTimeColumn);
  if (step.size == 1) return fmt::format("{:.0f}-{:.0f}{}", begin_ns, end_ns, step.unit);
  return fmt::format("{:.4g}-{:.4g}{}", begin_ns / step.size, end_ns / step.size, step.unit);
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

std::string latency_text(const result::Paging& paging, double ns) {
  return paging.imported && ns < kFirstBin_ns ? "<" + short_time(kFirstBin_ns) : short_time(ns);
}

std::string pmbench_pattern(const std::string& pattern) {
  constexpr std::string_view kLegacy = "legacy:";
  return pattern.starts_with(kLegacy) ? pattern.substr(kLegacy.size()) : pattern;
}

std::string pmbench_access(const std::string& access) { return access == "histogram" ? "histo" : access; }

}  // namespace fathom::report::paging
