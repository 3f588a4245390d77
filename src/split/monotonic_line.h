// A job's ticks as CLOCK_MONOTONIC, the clock that the kernel's programs read. Problem: a reading of that clock beside
// each of the job's own is 40 ns an I/O, and a conversion calibrated before the run drifts away from a clock that NTP
// steers, 50 ns in a millisecond. Choice: a line through two moments at which both were read, the later one never more
// than some milliseconds ago; how far each new moment lies beside the line is the error, and the largest is told.
// Of two readings of the job's clock around one of CLOCK_MONOTONIC the narrowest of a few is taken. Thread rule: one
// thread.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "clock/sources/source.h"

namespace fathom::split {

class MonotonicLine {
 public:
  // offset_ns: what this process's time namespace adds to the kernel's CLOCK_MONOTONIC.
  MonotonicLine(clock::sources::Source source, double ticks_per_second, std::int64_t offset_ns = 0);

  [[gnu::always_inline]] std::uint64_t at(std::uint64_t ticks) const {
    if (same_) return ticks - static_cast<std::uint64_t>(offset_ns_);
    const double since = static_cast<double>(static_cast<std::int64_t>(ticks - last_.ticks)) * ns_per_tick_;
    return last_.ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(since));
  }
  // To be called with a reading now and then, at best for each I/O: holds the line to the clocks where it is due, and
  // says whether it was.
  [[gnu::always_inline]] bool hold(std::uint64_t ticks) {
    if (same_ || static_cast<std::int64_t>(ticks - last_.ticks) <= static_cast<std::int64_t>(span_ticks_)) [[likely]]
      return false;
    hold_now();
    return true;
  }
  // How far a moment lay beside the line, at most, and half of the widest pair of readings.
  double error_ns() const { return miss_ns_ + half_width_ns_; }

 private:
  struct Moment {
    std::uint64_t ticks = 0, ns = 0;
  };
  void hold_now();
  Moment moment();

  const clock::sources::Source source_;
  const bool same_;  // the job stamps with CLOCK_MONOTONIC
  const std::int64_t offset_ns_;
  double ns_per_tick_;
  std::uint64_t span_ticks_;
  Moment last_, base_;  // base_: where the slope is taken from
  double miss_ns_ = 0, half_width_ns_ = 0;
  bool steady_ = false;
};

}  // namespace fathom::split
