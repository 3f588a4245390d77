// How the machine was set, what of it the run has changed, and pmbench's snapshots of memory in one line each.
#include <fmt/format.h>

#include <algorithm>

#include "report/paging_text_parts.h"
#include "report/paging_words.h"

namespace fathom::report {

std::string paging_pressure(const result::Paging& paging) {
  const auto& p = paging.pressure;
  std::string out;
  if (!p.settings.empty()) {
    std::string text;
    for (const auto& [setting, value] : p.settings) {
      const bool changed = std::find(p.changed.begin(), p.changed.end(), setting) != p.changed.end();
      text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", changed ? "*" : "", setting, value);
    }
    out += wrapped("set to (*: by this run, restored after it): " + text, "  ");
  }
  for (const auto& swap : p.swaps) {
    if (swap.kind == "none") continue;
    auto text = fmt::format("swap {}: {} used of {} at the end", swap.path.empty() ? swap.name : swap.path,
                            short_bytes(swap.used_bytes), short_bytes(swap.size_bytes));
    if (swap.stored_bytes > 0)
      text += fmt::format("; {} stored in {} ({:.2f} to 1)", short_bytes(swap.stored_bytes),
                          short_bytes(swap.compressed_bytes),
                          swap.compressed_bytes == 0
                              ? 0
                              : static_cast<double>(swap.stored_bytes) / static_cast<double>(swap.compressed_bytes));
    out += wrapped(text, "  ");
  }
  for (const auto& line : p.not_possible) out += wrapped("not possible: " + line, "  ");
  return out.empty() ? "" : "\n" + out;
}

std::string paging_memory(const result::Paging& paging) {
  if (paging.memory_items.empty() || !paging.memory_items.front().windows.empty()) return "";
  std::string out = fmt::format("\n  {:<11}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "memory", "free KiB", "cache KiB",
                                "swapped in", "out", "majors");
  const auto& first = paging.memory_items.front();
  for (const auto& item : paging.memory_items)
    out += fmt::format("  {:<11}{:>12}{:>12}{:>12}{:>12}{:>12}\n", item.name, item.free_kib, item.cache_kib,
                       item.pswpin - first.pswpin, item.pswpout - first.pswpout, item.pgmajfault - first.pgmajfault);
  return out;
}

}  // namespace fathom::report
