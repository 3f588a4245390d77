// A timer for loops that wait for a device and cannot read a clock in every iteration.
// Thread rule: one thread at a time. No errors.
#pragma once
#include <cstdint>

namespace fathom::nvme {

// passed() is true once per `ns` nanoseconds of CLOCK_MONOTONIC.
// It is true for the first time `ns` nanoseconds after the first call. It reads the clock on every call.
// A default-constructed Interval is always passed.
class Interval {
 public:
  Interval() = default;
  explicit Interval(std::uint64_t ns) : ns_(ns) {}
  bool passed();

 private:
  std::uint64_t ns_ = 0, next_ns_ = 0;
};

}  // namespace fathom::nvme
