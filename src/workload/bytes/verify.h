// The headers that fathom wrote for verify=crc32c before it supported fio's format (verify/). Readers still check such
// files; only tests write them. A block is cut into chunks of `interval` bytes, and each chunk begins with a header of
// 32 bytes, little-endian:
//    0  magic "FATHOMv1"     8  offset of the chunk in its file or device     16  generation     24  length of the
//    chunk
//   28  CRC32C (Castagnoli, RFC 3720 B.4) of the chunk without these four bytes
// The offset detects a block at the wrong place. The generation (a number of the run that wrote it) detects a write
// that never replaced the data of an earlier run. The CRC detects everything else. Each chunk has all of this, so
// writes that overlap at multiples of the interval still verify, without a list of writes. The format is fathom's:
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

// The first flaw found: the chunk has `found` instead of `expected`, at `offset` bytes of the file.
struct Verdict {
  Flaw flaw = Flaw::none;
  std::uint64_t offset = 0, expected = 0, found = 0;
  bool good() const { return flaw == Flaw::none; }
};
const char* name(Flaw flaw);  // "magic", "offset", ...

// Stamps `block`, which will be written at `offset`. interval: kSmallestInterval bytes or more. The rest after the last
// whole chunk is a shorter chunk, or remains as it is if it is no longer than a header.
void stamp_block(std::span<std::byte> block, std::uint64_t offset, std::uint32_t interval, std::uint64_t generation);

// Checks the chunks of a block that was read from `offset`, in order, up to the first flaw. generation 0: any is
// accepted.
Verdict check_block(std::span<const std::byte> block, std::uint64_t offset, std::uint32_t interval,
                    std::uint64_t generation);

// CRC-32C of `bytes`, continued from the CRC of the preceding bytes (0 at the start).
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace fathom::workload::bytes
