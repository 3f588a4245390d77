// How random bytes are, and how many of their blocks differ.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <string>

namespace fathom::workload::bytes {

// Bits of entropy in a byte, at places that are `place` of eight.
inline double entropy(std::span<const std::byte> bytes, std::size_t place) {
  std::array<double, 256> counts{};
  for (std::size_t at = place; at < bytes.size(); at += 8) ++counts[std::to_integer<std::size_t>(bytes[at])];
  double bits = 0;
  for (const double count : counts)
    if (count > 0) bits -= count * 8 / bytes.size() * std::log2(count * 8 / bytes.size());
  return bits;
}

inline std::set<std::string> blocks_of(std::span<const std::byte> bytes) {
  std::set<std::string> blocks;
  for (std::size_t at = 0; at < bytes.size(); at += 4096)
    blocks.emplace(reinterpret_cast<const char*>(bytes.data() + at), 4096);
  return blocks;
}

}  // namespace fathom::workload::bytes
