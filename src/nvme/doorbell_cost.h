// The model of a doorbell's price: on a PCIe device the write to an uncached address costs its writer 100 to 200 ns,
// which a doorbell in shared memory does not. A number that came about with it is labelled a model wherever it is
// shown.
#pragma once
#include <cstdint>

namespace fathom::nvme {

// CPU clock ticks in so many nanoseconds, taken over 2 ms: enough for a model.
std::uint32_t doorbell_cost_ticks(std::uint64_t cost_ns);

}  // namespace fathom::nvme
