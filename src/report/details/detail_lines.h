// The pieces of the details, and the format of their lines: two spaces, the name, a column of values. Every piece ends
// with a newline or is empty.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/unit_text.h"
#include "result/result.h"

namespace fathom::report::details {

std::string job_details(const result::Run& run, const result::Job& job);
std::string audit_details(const result::Audit& audit);
std::string options_text(const result::Options& options);  // "bs=4k direct=1"

inline std::string heading(std::string_view title) { return fmt::format("\n{}:\n", title); }
// Empty without a value.
inline std::string fact(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format("  {:<18} {}\n", name, value);
}
inline std::string count(std::string_view name, std::uint64_t value) {
  return value == 0 ? "" : fact(name, std::to_string(value));
}

inline std::string time_text(double ns) { return base::text::unit_text(ns, base::text::kTimeLive); }
inline std::string bytes_text(double bytes) { return base::text::unit_text(bytes, base::text::kBytesThree); }
inline std::string rate_text(double rate) { return base::text::unit_text(rate, base::text::kRateLive); }
inline std::string bytes_fact(std::string_view name, std::uint64_t bytes) {
  return bytes == 0 ? "" : fact(name, bytes_text(static_cast<double>(bytes)));
}

}  // namespace fathom::report::details
