// Reading the values of options: numbers with units, arithmetic in parentheses, percentages, lists. Every reader says
// what is wrong with which part of the value.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.h"
#include "job/option.h"
#include "job/source.h"

namespace fathom::job {

inline constexpr std::uint64_t kMaxU32 = 0xffffffffull;
inline constexpr std::uint64_t kMaxU64 = ~0ull;

// A number by the row's type, unit and range.
Outcome read_number(const Draft& draft, const Option& option, std::string_view text, std::uint64_t& out);
// The same without the row's range: a part of a larger value.
Outcome read_bytes(const Draft& draft, const Option& option, std::string_view text, std::uint64_t& out);
Outcome read_real(const Option& option, std::string_view text, double min, double max, double& out);
Outcome read_size_or_percent(const Draft& draft, const Option& option, std::string_view text, SizeOrPercent& out);
// "1k-4k" or "1k:4k", in either order.
Outcome read_range(const Draft& draft, const Option& option, std::string_view text, SizeRange& out);
Outcome read_choice(const Option& option, std::string_view text, int& out);

// Pieces between separators that stand outside parentheses; always at least one. limit: the last piece keeps the rest.
std::vector<std::string_view> split(std::string_view text, char separator);
// A ':'-list in which `\:` is a colon.
std::vector<std::string> split_names(std::string_view text);

// read,write,trim: calls set(direction, part) for each direction that the value names. One part: all three. Two: trim
// takes the write part. An empty part leaves its direction alone.
template <class Set>
Outcome for_each_direction(std::string_view text, Set set) {
  const auto parts = split(text, ',');
  if (parts.size() > io::kDataDirs)
    return Problem{"too many values", "there are three directions: read, write and trim",
                   "write at most `read,write,trim`", parts[io::kDataDirs], base::ErrorKind::usage};
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto part = parts[d < parts.size() ? d : parts.size() - 1];
    if (part.empty()) continue;
    if (auto problem = set(d, part)) return problem;
  }
  return {};
}

}  // namespace fathom::job
