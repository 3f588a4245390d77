// The cyclic redundancy checks of fio's methods. Polynomial, initial value and bit order are fio's, and only some match
// a standard:
//   crc7    x^7 + x^3 + 1, high bit first, start 0 (CRC-7/MMC)
//   crc16   CRC-16/ARC: 0x8005 reflected, start 0
//   crc32   0x04C11DB7, high bit first, start 0, nothing inverted (POSIX cksum without its length)
//   crc32c  Castagnoli's polynomial reflected, start all ones, not inverted at the end
//   crc64   Jones' polynomial reflected (0x95AC9329AC4BC9B5), start 0, nothing inverted
// The last three call ISA-L, which uses the fastest method of the CPU; the others use slicing by 16. Pure, no
// allocation, any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::verify::digest {

std::uint8_t crc7(std::span<const std::byte> bytes);
std::uint16_t crc16(std::span<const std::byte> bytes);
std::uint32_t crc32(std::span<const std::byte> bytes);
std::uint32_t crc32c(std::span<const std::byte> bytes);
std::uint64_t crc64(std::span<const std::byte> bytes);

}  // namespace fathom::verify::digest
