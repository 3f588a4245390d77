// Waits for a device, never longer than a limit. Each step of the wait lets a stepped device take one step
// (Transport::idle). Then, the longer the wait lasts, it spins, yields or sleeps.
// A wait that only spins would block a device thread on the same core.
#pragma once
#include <cstdint>

#include "nvme/transport.h"

namespace fathom::nvme::detail {

using NowNs = std::uint64_t (*)();

class Wait {
 public:
  // now_ns nullptr: base::monotonic_ns. With another clock the wait never sleeps, so that clock must advance by itself.
  Wait(Transport& transport, NowNs now_ns, std::uint64_t limit_ms);
  bool again();         // one step; false: the limit has passed
  bool time_to_look();  // true at the first step, then once per millisecond: for a check that costs a register read
  std::uint64_t limit_ms() const { return limit_ns_ / 1'000'000; }

 private:
  Transport& transport_;
  NowNs now_ns_;
  bool real_;
  std::uint64_t limit_ns_, from_ns_, now_, next_look_ns_;
  std::uint32_t steps_ = 0;
};

}  // namespace fathom::nvme::detail
