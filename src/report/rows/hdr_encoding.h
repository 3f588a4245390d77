// HdrHistogram's V2 encoding of counts, as Java's HdrHistogram 2.1.11 writes it: three significant digits, lowest value
// 1, counts by index as ZigZag LEB128 with runs of zeros. An index is a width of 1/1024 of an octave or less, so a
// bucket of the result (1/64) consists of whole indexes. Pure; any thread; no errors.
// Reference: https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram.encodeIntoByteBuffer.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom::report::rows {

inline constexpr std::uint64_t kMostHdrValue = ~std::uint64_t{0} >> 1;  // Java's long, of values and counts

struct HdrCount {
  std::uint64_t value = 0, count = 0;
};
// Values rise, or are equal. Values and sums of counts are at most kMostHdrValue.
std::string hdr_encoded(std::span<const HdrCount> counts);
// The same, compressed with zlib, behind its own header: what a log has as base64.
std::string hdr_compressed(std::string_view encoded);

}  // namespace fathom::report::rows
