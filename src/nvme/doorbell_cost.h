// A model of the cost of a doorbell write.
// On a PCIe device, the write to an uncached address takes the CPU 100 to 200 ns.
// A doorbell in shared memory does not have this cost.
// Every report labels a number measured with this model as a model.
#pragma once
#include <cstdint>

namespace fathom::nvme {

// CPU clock ticks in `cost_ns` nanoseconds. The result must fit 32 bits. No errors.
// The function measures the tick rate for 2 ms, and blocks for that time. This accuracy suffices for a model.
// Thread rule: any thread.
std::uint32_t doorbell_cost_ticks(std::uint64_t cost_ns);

}  // namespace fathom::nvme
