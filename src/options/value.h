// Parsers of option values: numbers with units, arithmetic in parentheses, percentages, lists.
// Each parser returns nullopt, or a Problem that names the error and the part of the value.
// It writes the result to its last arguments. After a Problem these are unspecified.
// Thread rule: pure functions; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "options/row.h"

namespace fathom::options {

inline constexpr std::uint64_t kMaxU32 = 0xffffffffull;
inline constexpr std::uint64_t kMaxU64 = ~0ull;

// An error in the value, or in its part `at`.
Problem wrong(std::string what, std::string cause, std::string help, std::string_view at,
              base::ErrorKind kind = base::ErrorKind::usage);

// A number by the row's type, unit and range.
Outcome read_number(const Value& value, std::uint64_t& out);
// The same without the row's range, for a part of a larger value.
Outcome read_bytes(const Value& value, std::uint64_t& out);
Outcome read_real(const Value& value, double min, double max, double& out);
// "4k" or "50%". The other number becomes 0.
Outcome read_size_or_percent(const Value& value, std::uint64_t& bytes, double& percent);
// "1k-4k" or "1k:4k", in either order.
Outcome read_range(const Value& value, std::uint64_t& low, std::uint64_t& high);
// The same, or one number, which is both ends of the range.
Outcome read_one_or_range(const Value& value, std::uint64_t& low, std::uint64_t& high);
// One of the row's choices. A choice that ends in `:` matches any text after it.
Outcome read_choice(const Value& value, int& out);
// A comma list of choices.
Outcome read_names(const Value& value, std::vector<std::string>& out);

// "0,2-5" becomes 0 2 3 4 5: in order, each once.
Outcome read_numbers(const Value& value, std::vector<int>& out);
// The same for CPUs. A CPU outside `usable` is an error.
Outcome read_usable_cpus(const Value& value, std::span<const int> usable, std::vector<int>& out);
// A number above 0, possibly a fraction.
Outcome read_positive(const Value& value, double& out);

// The pieces between separators outside parentheses, without surrounding spaces; always at least one.
std::vector<std::string_view> split(std::string_view text, char separator);
// A list separated by ':', in which `\:` is a colon. Empty names are dropped.
std::vector<std::string> split_names(std::string_view text);

inline constexpr std::size_t kDirections = 3;  // read, write, trim

// read,write,trim: calls set(direction, part) for each direction that the value names.
// With one part, it applies to all three. With two, trim takes the write part. An empty part leaves its direction
// unchanged.
template <class Set>
Outcome for_each_direction(std::string_view text, Set set) {
  const auto parts = split(text, ',');
  if (parts.size() > kDirections)
    return wrong("too many values", "there are three directions: read, write and trim",
                 "write at most `read,write,trim`", parts[kDirections]);
  for (std::size_t d = 0; d < kDirections; ++d) {
    const auto part = parts[d < parts.size() ? d : parts.size() - 1];
    if (part.empty()) continue;
    if (auto problem = set(d, part)) return problem;
  }
  return {};
}

}  // namespace fathom::options
