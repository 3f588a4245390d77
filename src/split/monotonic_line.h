// Converts a job's ticks to CLOCK_MONOTONIC, the clock that the BPF programs read. Problem: an additional read of that
// clock at each of the job's own reads costs 40 ns per I/O. A conversion calibrated before the run drifts away from a
// clock that NTP adjusts, 50 ns in a millisecond. Choice: a line through two moments at which both clocks were read,
// the later one at most some milliseconds ago. The distance of each new moment from the line is the error, and the
// largest is reported. A moment is two reads of the job's clock around one of CLOCK_MONOTONIC. Of a few such moments
// the narrowest counts.
// Thread rule: one thread.
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
  // Call this with a clock read now and then, at best for each I/O. If due, it adjusts the line to the clocks and
  // returns true.
  [[gnu::always_inline]] bool hold(std::uint64_t ticks) {
    if (same_ || static_cast<std::int64_t>(ticks - last_.ticks) <= static_cast<std::int64_t>(span_ticks_)) [[likely]]
      return false;
    hold_now();
    return true;
  }
  // The largest distance of a moment from the line, plus half of the widest pair of reads.
  double error_ns() const { return miss_ns_ + half_width_ns_; }

 private:
  struct Moment {
    std::uint64_t ticks = 0, ns = 0;
  };
  void hold_now();
  Moment moment();

  const clock::sources::Source source_;
  const bool same_;  // the job's clock is CLOCK_MONOTONIC
  const std::int64_t offset_ns_;
  double ns_per_tick_;
  std::uint64_t span_ticks_;
  Moment last_, base_;  // base_: start of the slope
  double miss_ns_ = 0, half_width_ns_ = 0;
  bool steady_ = false;
};

}  // namespace fathom::split
