// Converts the cost of a doorbell to ticks.
#include "nvme/doorbell_cost.h"

#include "base/time.h"
#include "clock/sources/source.h"

namespace fathom::nvme {

std::uint32_t doorbell_cost_ticks(std::uint64_t cost_ns) {
  constexpr std::uint64_t kOverNs = 2'000'000;
  const std::uint64_t from_ns = base::monotonic_ns();
  const std::uint64_t from = clock::sources::CpuClock::now().v;
  std::uint64_t ns = 0;
  while (ns < kOverNs) ns = base::monotonic_ns() - from_ns;
  const double ticks_per_ns = static_cast<double>(clock::sources::CpuClock::now().v - from) / static_cast<double>(ns);
  return static_cast<std::uint32_t>(static_cast<double>(cost_ns) * ticks_per_ns);
}

}  // namespace fathom::nvme
