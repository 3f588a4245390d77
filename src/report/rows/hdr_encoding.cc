// Numbers of both headers are big endian.
#include "report/rows/hdr_encoding.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <new>
#include <vector>

namespace fathom::report::rows {
namespace {

constexpr std::uint32_t kEncodingCookie = 0x1c849313, kCompressedCookie = 0x1c849314;
constexpr unsigned kDigits = 3, kHalfBits = 10;  // 2 * 10^3 values are exact: 2^11
constexpr std::uint64_t kHalf = std::uint64_t{1} << kHalfBits;

std::uint64_t hdr_index(std::uint64_t value) {
  const auto octave = static_cast<unsigned>(std::bit_width(value | (2 * kHalf - 1))) - (kHalfBits + 1);
  return ((octave + std::uint64_t{1}) << kHalfBits) + (value >> octave) - kHalf;
}

template <class T>
void put_big_endian(std::string& out, T value) {
  for (unsigned bits = 8 * sizeof value; bits > 0; bits -= 8) out += static_cast<char>(value >> (bits - 8) & 0xFF);
}

// Seven bits a byte, the lowest first; the ninth byte has the last eight.
void put_zigzag(std::string& out, std::int64_t value) {
  auto rest = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (int bytes = 1; bytes < 9 && rest > 0x7F; ++bytes, rest >>= 7) out += static_cast<char>((rest & 0x7F) | 0x80);
  out += static_cast<char>(rest);
}

// A single zero is a count, and only a longer run is a negative number.
void put_zeros(std::string& out, std::uint64_t n) {
  if (n > 0) put_zigzag(out, n == 1 ? 0 : -static_cast<std::int64_t>(n));
}

}  // namespace

std::string hdr_encoded(std::span<const HdrCount> counts) {
  std::string payload;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < counts.size();) {
    const std::uint64_t index = hdr_index(counts[i].value);
    std::uint64_t count = 0;
    for (; i < counts.size() && hdr_index(counts[i].value) == index; ++i) count += counts[i].count;
    if (count == 0) continue;
    put_zeros(payload, index - next);
    put_zigzag(payload, static_cast<std::int64_t>(count));
    next = index + 1;
  }
  constexpr std::uint64_t kLowest = 1, kRatioOfOne = 0x3FF0000000000000;  // 1.0 as a double
  const std::uint64_t highest = std::max<std::uint64_t>(counts.empty() ? 0 : counts.back().value, 2 * kLowest);
  std::string out;
  put_big_endian(out, kEncodingCookie);
  put_big_endian(out, static_cast<std::uint32_t>(payload.size()));
  put_big_endian(out, std::uint32_t{0});  // offset of the first index
  put_big_endian(out, std::uint32_t{kDigits});
  put_big_endian(out, kLowest);
  put_big_endian(out, highest);
  put_big_endian(out, kRatioOfOne);
  return out + payload;
}

std::string hdr_compressed(std::string_view encoded) {
  uLongf size = compressBound(static_cast<uLong>(encoded.size()));
  std::vector<Bytef> bytes(size);
  // With a buffer of this size it fails only without memory.
  if (compress2(bytes.data(), &size, reinterpret_cast<const Bytef*>(encoded.data()), static_cast<uLong>(encoded.size()),
                Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  std::string out;
  put_big_endian(out, kCompressedCookie);
  put_big_endian(out, static_cast<std::uint32_t>(size));
  return out.append(reinterpret_cast<const char*>(bytes.data()), size);
}

}  // namespace fathom::report::rows
