// Waiting for a device, never longer than a limit. A step of the wait lets a stepped device take one of its own
// (Transport::idle) and then, the longer it lasts, spins, yields or sleeps: with the device's thread on the same core a
// wait that only spins would wait for itself.
#pragma once
#include <cstdint>

#include "nvme/transport.h"

namespace fathom::nvme::detail {

using NowNs = std::uint64_t (*)();

class Wait {
 public:
  // now_ns nullptr: base::monotonic_ns. With another clock nothing sleeps: that clock has to go on by itself.
  Wait(Transport& transport, NowNs now_ns, std::uint64_t limit_ms);
  bool again();         // one step; false once the time is over
  bool time_to_look();  // true at the first step and then once a millisecond: for what costs a register read
  std::uint64_t limit_ms() const { return limit_ns_ / 1'000'000; }

 private:
  Transport& transport_;
  NowNs now_ns_;
  bool real_;
  std::uint64_t limit_ns_, from_ns_, now_, next_look_ns_;
  std::uint32_t steps_ = 0;
};

}  // namespace fathom::nvme::detail
