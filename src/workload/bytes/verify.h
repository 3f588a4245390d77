// The headers that fathom wrote for verify=crc32c before it had fio's format (verify/): such files are still checked by
// those who read them, and nothing writes them but tests. A block is cut into chunks of
// `interval` bytes, and each begins with a header of 32 bytes, little-endian:
//    0  magic "FATHOMv1"     8  offset of the chunk in its file or device     16  generation     24  length of the
//    chunk
//   28  CRC32C (Castagnoli, RFC 3720 B.4) of the chunk without these four bytes
// The offset tells a block that went to the wrong place, the generation (a number of the run that wrote it) one that
// never arrived over what an earlier run had left, the CRC everything else. Chunks say all of it themselves, so writes
// that overlap at multiples of the interval still verify, and no list of them is kept. The format is fathom's own:
// fio's differs. No allocation, no clock; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::workload::bytes {

inline constexpr std::uint64_t kVerifyMagic = 0x31764d4f48544146ull;  // "FATHOMv1"
inline constexpr std::size_t kVerifyHeader = 32;
inline constexpr std::uint32_t kSmallestInterval = 64;

enum class Flaw : std::uint8_t { none, magic, offset, length, generation, crc };

// What is wrong with the first chunk that is: at `offset` bytes of the file there stands `found`.
struct Verdict {
  Flaw flaw = Flaw::none;
  std::uint64_t offset = 0, expected = 0, found = 0;
  bool good() const { return flaw == Flaw::none; }
};
const char* name(Flaw flaw);  // "magic", "offset", ...

// Makes `block`, which is going to `offset`, one that can be checked. interval: kSmallestInterval bytes or more; what
// is left behind the last whole chunk is a shorter one, or is left as it is if it is no longer than a header.
void stamp_block(std::span<std::byte> block, std::uint64_t offset, std::uint32_t interval, std::uint64_t generation);

// Looks at the chunks of a block that was read from `offset`, in order, up to the first that is wrong. generation 0:
// any will do.
Verdict check_block(std::span<const std::byte> block, std::uint64_t offset, std::uint32_t interval,
                    std::uint64_t generation);

// CRC-32C of `bytes`, going on from the CRC of what stands before them (0 at the start).
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace fathom::workload::bytes
