// verify_pattern: bytes that repeat from the start of an I/O. Up to eight places (%o) in them contain the I/O's offset,
// eight bytes little-endian. With verify_pattern_interval the pattern restarts after each interval, and the places
// contain the offset of that restart. Comparison dominates the cost of a pattern check. The pattern is therefore stored
// repeated, up to some thousand bytes. Its places are filled for the current I/O, then copies and compares use the
// largest pieces.
// One owner; no allocation after make().
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::verify {

inline constexpr std::size_t kMostOffsetPlaces = 8;

class PatternBytes {
 public:
  // An empty pattern.
  PatternBytes() = default;
  // offset_places: where in `bytes` the eight bytes of an offset begin. interval: in bytes, or 0.
  static base::Expected<PatternBytes> make(std::string_view bytes, std::span<const std::size_t> offset_places = {},
                                           std::uint64_t interval = 0);
  bool empty() const { return repeated_.empty(); }

  // Fills a whole I/O for offset `io_offset`.
  void fill(std::span<std::byte> io, std::uint64_t io_offset);

  struct Difference {
    std::size_t at = 0;  // position in `part`
    std::byte found{}, wanted{};
  };
  // Finds the first byte of `part` that differs. `part` begins `begin` bytes after the start of the I/O at io_offset.
  std::optional<Difference> check(std::span<const std::byte> part, std::size_t begin, std::uint64_t io_offset);

 private:
  void place(std::uint64_t offset);
  // The expected bytes from `at` bytes after the start of the I/O, as far as they are contiguous.
  std::span<const std::byte> piece(std::size_t at, std::uint64_t io_offset);
  std::vector<std::byte> repeated_;  // a whole number of repetitions
  std::vector<std::size_t> places_;  // in all repetitions
  std::uint64_t interval_ = 0;
};

}  // namespace fathom::verify
