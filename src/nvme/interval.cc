// Detects the end of an interval.
#include "nvme/interval.h"

#include "base/time.h"

namespace fathom::nvme {

bool Interval::passed() {
  const std::uint64_t now = base::monotonic_ns();
  if (next_ns_ == 0) next_ns_ = now + ns_;
  if (now < next_ns_) return false;
  next_ns_ = now + ns_;
  return true;
}

}  // namespace fathom::nvme
