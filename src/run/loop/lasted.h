// How long something lasted, by a clock that may have jumped and by one that does not. Pure.
#pragma once
#include <cstdint>

namespace fathom::run::loop {

// By the reference: just before the job's clock was read, and just after it.
struct Moment {
  std::uint64_t before_ns = 0, after_ns = 0;
};

// What the two clocks may differ by in `ns` without one of them having jumped.
constexpr std::uint64_t jump_allowance_ns(std::uint64_t ns) { return 1'000'000 + ns / 1000; }

// by_clock_ns, if the reference allows it; else what that says. A reader who was held up between two readings makes
// the reference less certain and no clock wrong.
constexpr std::uint64_t lasted(std::uint64_t by_clock_ns, const Moment& began, const Moment& ended) {
  const std::uint64_t least_ns = ended.before_ns > began.after_ns ? ended.before_ns - began.after_ns : 0;
  const std::uint64_t most_ns = ended.after_ns > began.before_ns ? ended.after_ns - began.before_ns : 0;
  if (by_clock_ns > most_ns + jump_allowance_ns(most_ns)) return most_ns;
  if (by_clock_ns + jump_allowance_ns(by_clock_ns) < least_ns) return least_ns;
  return by_clock_ns;
}

}  // namespace fathom::run::loop
