// Sizes in the words of messages: exact where a size is a whole number of units, else one decimal. Pure.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace fathom::paging {

inline std::string size_words(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  const bool whole = value == static_cast<double>(static_cast<std::uint64_t>(value));
  return whole ? fmt::format("{:.0f} {}", value, kUnits[unit]) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace fathom::paging
