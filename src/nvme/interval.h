// How long nothing has happened: for those who wait for a device and may not read a clock per look.
#pragma once
#include <cstdint>

namespace fathom::nvme {

// passed() is true once every `ns` nanoseconds of CLOCK_MONOTONIC, the first time that long after the first call.
class Interval {
 public:
  Interval() = default;
  explicit Interval(std::uint64_t ns) : ns_(ns) {}
  bool passed();

 private:
  std::uint64_t ns_ = 0, next_ns_ = 0;
};

}  // namespace fathom::nvme
