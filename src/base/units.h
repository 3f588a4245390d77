// Types for the units that must never be mixed: clock ticks and nanoseconds. A timestamp in the wrong unit is a wrong
// number that is hard to notice. Bytes and Lba are plain integers named by suffix (`size_bytes`, `offset_bytes`,
// `lba`).
#pragma once
#include <compare>
#include <cstdint>

namespace fathom::base {

using Bytes = std::uint64_t;
using Lba = std::uint64_t;

struct Ticks {
  std::uint64_t v = 0;
  friend constexpr Ticks operator-(Ticks a, Ticks b) { return {a.v - b.v}; }
  friend constexpr Ticks operator+(Ticks a, Ticks b) { return {a.v + b.v}; }
  friend constexpr auto operator<=>(Ticks, Ticks) = default;
};

struct Nanos {
  std::uint64_t v = 0;
  friend constexpr Nanos operator-(Nanos a, Nanos b) { return {a.v - b.v}; }
  friend constexpr Nanos operator+(Nanos a, Nanos b) { return {a.v + b.v}; }
  friend constexpr auto operator<=>(Nanos, Nanos) = default;
};

}  // namespace fathom::base
