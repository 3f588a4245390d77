// verify_pattern: bytes that repeat from the start of an I/O, in which up to eight places (%o) hold the offset of the
// I/O, eight bytes little-endian. With verify_pattern_interval the pattern begins anew every so many bytes, and the
// places hold the offset of that beginning. Comparing is what the check of a pattern costs, so the pattern is kept
// repeated up to some thousand bytes, its places are filled for the I/O at hand, and then as much as possible is
// copied or compared at a time.
// One owner; nothing is allocated after make().
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
  // None: an empty pattern.
  PatternBytes() = default;
  // offset_places: where in `bytes` the eight bytes of an offset begin. interval: 0, or bytes.
  static base::Expected<PatternBytes> make(std::string_view bytes, std::span<const std::size_t> offset_places = {},
                                           std::uint64_t interval = 0);
  bool empty() const { return repeated_.empty(); }

  // The whole of an I/O that goes to `io_offset`.
  void fill(std::span<std::byte> io, std::uint64_t io_offset);

  struct Difference {
    std::size_t at = 0;  // of `part`
    std::byte found{}, wanted{};
  };
  // The first byte that differs of `part`, which begins `begin` bytes behind the start of the I/O at io_offset.
  std::optional<Difference> check(std::span<const std::byte> part, std::size_t begin, std::uint64_t io_offset);

 private:
  void place(std::uint64_t offset);
  // What stands `at` bytes behind the start of the I/O, as long as it is in one piece.
  std::span<const std::byte> piece(std::size_t at, std::uint64_t io_offset);
  std::vector<std::byte> repeated_;  // a whole number of times
  std::vector<std::size_t> places_;  // of all of them
  std::uint64_t interval_ = 0;
};

}  // namespace fathom::verify
