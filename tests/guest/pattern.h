// What every block holds: a word of 8 bytes says where it lies and on which namespace. tests/guest/nvme/driver.py has the
// same rule, so that the images are judged outside of the guest too.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fathom::guest {

inline constexpr std::uint32_t kArea = 8 << 20;          // our driver fills this much from the start
inline constexpr std::uint32_t kKernelWrote = 16 << 20;  // where the kernel's driver filled
inline constexpr std::uint32_t kKernelBytes = 1 << 20;   // so much

constexpr std::uint64_t pattern_word(std::uint64_t offset_bytes, std::uint32_t nsid) {
  return (offset_bytes / 8) * 0x9e3779b97f4a7c15ull + nsid;
}

// offset and bytes are multiples of 8.
inline void fill_pattern(std::byte* memory, std::size_t bytes, std::uint64_t offset_bytes, std::uint32_t nsid) {
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = pattern_word(offset_bytes + at, nsid);
    std::memcpy(memory + at, &word, sizeof word);
  }
}

// Bytes that are right from the start; `bytes` when all are.
inline std::size_t matching(const std::byte* memory, std::size_t bytes, std::uint64_t offset_bytes,
                            std::uint32_t nsid) {
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = pattern_word(offset_bytes + at, nsid);
    if (std::memcmp(memory + at, &word, sizeof word) != 0) return at;
  }
  return bytes;
}

}  // namespace fathom::guest
