// A counter and a reference clock that are simulated, so that the true rate is known: each look at a clock costs time,
// and anything may be stolen from the reader between two looks.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "clock/sources/bracket.h"

namespace fathom::clock {

struct SimCounter {
  double hz = 2.6e9;
  double now_ns = 5e9;
  double cost_ns = 22.3;
  std::uint64_t grain_ticks = 1;                        // the counter moves in steps of this
  std::uint64_t ticks_offset = 0;                       // a jump of the counter
  std::function<double(int look)> stolen_ns = nullptr;  // before the n-th look at any clock
  int looks = 0;

  std::uint64_t reference() {
    look();
    return static_cast<std::uint64_t>(now_ns);
  }
  std::uint64_t counter() {
    look();
    const auto ticks = static_cast<std::uint64_t>(now_ns * hz / 1e9);
    return ticks - ticks % grain_ticks + ticks_offset;
  }
  sources::Bracket read() {
    const auto before = reference();
    const auto ticks = counter();
    return {before, ticks, reference()};
  }
  void pause(std::uint64_t ns) { now_ns += static_cast<double>(ns) + 60'000; }  // as late as a sleep is
  std::vector<sources::Bracket> burst(int n) {
    std::vector<sources::Bracket> brackets;
    while (n-- > 0) brackets.push_back(read());
    return brackets;
  }

 private:
  void look() {
    now_ns += cost_ns;
    if (stolen_ns) now_ns += stolen_ns(looks);
    ++looks;
  }
};

}  // namespace fathom::clock
