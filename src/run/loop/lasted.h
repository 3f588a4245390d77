// A duration by a clock that may have jumped, checked with a reference that does not jump. Pure.
#pragma once
#include <cstdint>

namespace fathom::run::loop {

// Times of the reference just before and just after the read of the job's clock.
struct Moment {
  std::uint64_t before_ns = 0, after_ns = 0;
};

// The largest difference between the two clocks over `ns` that does not count as a jump.
constexpr std::uint64_t jump_allowance_ns(std::uint64_t ns) { return 1'000'000 + ns / 1000; }

// by_clock_ns if the reference allows it, otherwise the nearest duration that the reference allows. A delay of the
// reader between two clock reads widens the allowed range, and does not make a clock wrong.
constexpr std::uint64_t lasted(std::uint64_t by_clock_ns, const Moment& began, const Moment& ended) {
  const std::uint64_t least_ns = ended.before_ns > began.after_ns ? ended.before_ns - began.after_ns : 0;
  const std::uint64_t most_ns = ended.after_ns > began.before_ns ? ended.after_ns - began.before_ns : 0;
  if (by_clock_ns > most_ns + jump_allowance_ns(most_ns)) return most_ns;
  if (by_clock_ns + jump_allowance_ns(by_clock_ns) < least_ns) return least_ns;
  return by_clock_ns;
}

}  // namespace fathom::run::loop
