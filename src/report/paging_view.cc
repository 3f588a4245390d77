// pmbench's words, and latencies that an imported run knows to its first bin.
#include "report/paging_view.h"

#include <string_view>

#include "report/paging_words.h"

namespace fathom::report {

std::string latency_text(const result::Paging& paging, double ns) {
  return paging.imported && ns < kFirstBin_ns ? "<" + short_time(kFirstBin_ns) : short_time(ns);
}

std::string pmbench_pattern(const std::string& pattern) {
  constexpr std::string_view kLegacy = "legacy:";
  return pattern.starts_with(kLegacy) ? pattern.substr(kLegacy.size()) : pattern;
}

std::string pmbench_access(const std::string& access) { return access == "histogram" ? "histo" : access; }

}  // namespace fathom::report
