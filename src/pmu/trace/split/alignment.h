// A job's clock and the clock of the kernel's events on one scale. Now and then a bracket (one
// reading of the job's clock between two of the reference) is added; between brackets the line through the oldest and
// the newest one held is followed. How far the next bracket lies off that line, and half its width, bound the error.
// Pure. Thread rule: one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>

#include "clock/sources/bracket.h"

namespace fathom::pmu::trace::split {

class ClockAlignment {
 public:
  void add(const clock::sources::Bracket& bracket);
  bool ready() const { return held_.size() >= 2; }  // two brackets at different times
  // The moment of the reading, on the reference's scale.
  std::uint64_t to_reference_ns(std::uint64_t ticks) const;
  double error_ns() const { return error_ns_; }

 private:
  // Some seconds of brackets: long enough for a steady rate, short enough for one that is being steered (NTP).
  static constexpr std::size_t kHeld = 128;
  static constexpr std::uint64_t kApart_ns = 20'000'000, kFirstApart_ns = 5'000'000;
  struct Point {
    std::uint64_t ticks;
    double reference_ns, half_width_ns;  // since the first bracket's before_ns
  };
  double at(std::uint64_t ticks) const;

  std::deque<Point> held_;
  std::uint64_t origin_ns_ = 0;
  double ns_per_tick_ = 1;
  double error_ns_ = 0;
};

// The narrowest of a few brackets: one that a scheduler has torn apart says little.
clock::sources::Bracket narrow_bracket(clock::sources::Source source, clock::sources::HeldAgainst reference);

}  // namespace fathom::pmu::trace::split
