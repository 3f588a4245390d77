// A loop's sums by the latency of each I/O: number of I/Os, and the time of each part. Problem: percentiles of single
// parts do not show where the time of the slowest I/Os goes, and the slowest I/Os are known only when the run is over.
// Choice: one cell for each eighth of an octave of the total latency. A cell is three cache lines; an I/O writes only
// its parts. There are eight cells per octave, since a slice of time has few I/Os and its cells are kept until the end.
// Band edges that fall within a cell divide it (stats/latency_bands.h). All-zero bytes are an empty table.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include "result/breakdown.h"

namespace fathom::split {

struct alignas(64) BandCell {
  std::uint64_t ios = 0, whole_ns = 0;
  std::uint64_t part_ns[result::kParts] = {};

  void add(const BandCell& other) {
    ios += other.ios;
    whole_ns += other.whole_ns;
    for (std::size_t p = 0; p < result::kParts; ++p) part_ns[p] += other.part_ns[p];
  }
  // The increments since the cell was `before`.
  BandCell since(const BandCell& before) const {
    BandCell out{ios - before.ios, whole_ns - before.whole_ns};
    for (std::size_t p = 0; p < result::kParts; ++p) out.part_ns[p] = part_ns[p] - before.part_ns[p];
    return out;
  }
};

inline constexpr unsigned kCellBits = 3;  // 8 per octave
inline constexpr std::size_t kCells = std::size_t{64 - kCellBits + 1} << kCellBits;

// As stats::bucket_of(), with wider buckets: no branch, no test.
[[gnu::always_inline]] constexpr std::size_t cell_of(std::uint64_t ns) {
  const unsigned shift = 63u - kCellBits - static_cast<unsigned>(std::countl_zero(ns | (1u << kCellBits)));
  return (std::size_t{shift} << kCellBits) + static_cast<std::size_t>(ns >> shift);
}
// The smallest latency of a cell, and where the next begins. Floating point, since the last cell ends at 2^64.
constexpr double cell_begin(std::size_t cell) {
  if (cell < (2u << kCellBits)) return static_cast<double>(cell);
  const std::size_t shift = (cell >> kCellBits) - 1, high = (cell & ((1u << kCellBits) - 1)) | (1u << kCellBits);
  return static_cast<double>(high) * static_cast<double>(std::uint64_t{1} << shift);
}
constexpr double cell_end(std::size_t cell) { return cell_begin(cell + 1); }

struct BandTable {
  BandCell cells[kCells];
};

}  // namespace fathom::split
