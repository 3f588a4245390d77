// Functions that the texts of `fathom paging` share: numbers short enough for columns, always with three significant
// digits; values from result/sums/paging_sums.h; and pmbench's names. Pure.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/unit_text.h"
#include "result/sums/paging_sums.h"

namespace fathom::report::paging {

using result::DeviceShare;
using result::kFirstBin_ns;
using result::LongAccesses;
using result::percent_of;
using result::PmbenchThread;

// "519ns"; for an imported run, "<256ns" for latencies in its first bin.
std::string latency_text(const result::Paging& paging, double ns);

// pmbench's names for things with two names, for reading and writing its XML.
std::string pmbench_pattern(const std::string& pattern);  // "legacy:zipf" -> "zipf"
std::string pmbench_access(const std::string& access);    // "histogram" -> "histo"

inline std::string short_time(double ns) {
  return base::text::unit_text(ns, base::text::kTimeColumn);
}  // "850ns", "61.2s"
inline std::string short_count(double count) { return base::text::unit_text(count, base::text::kCountColumn); }
inline std::string short_bytes(std::uint64_t bytes) {  // "512 MiB", "1.5 GiB"
  return base::text::unit_text(static_cast<double>(bytes), base::text::kBytesColumn);
}
std::string short_percent(double percent);                // "33.0%", "<0.1%", "0"
std::string short_range(double begin_ns, double end_ns);  // "6.40-6.66us"

// Breaks into lines of at most `width` characters that begin with `indent`, at spaces, with a newline each.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = 80);

}  // namespace fathom::report::paging
