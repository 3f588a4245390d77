// Counts commands down to the next fault.
#include "nvme/soft/faults.h"

namespace fathom::nvme::soft {

FaultPlan::FaultPlan(const std::vector<Fault>& faults) {
  for (const Fault& fault : faults)
    if (fault.kind != FaultKind::never_ready && fault.kind != FaultKind::unmap_drops_next)
      armed_.push_back({fault, fault.after});
}

const Fault* FaultPlan::next() {
  const Fault* struck = nullptr;
  for (Armed& armed : armed_) {
    if (armed.spent) continue;
    if (armed.left != 0) {
      --armed.left;
      continue;
    }
    armed.spent = armed.fault.every == 0;
    armed.left = armed.spent ? 0 : armed.fault.every - 1;
    if (struck == nullptr) struck = &armed.fault;
  }
  return struck;
}

}  // namespace fathom::nvme::soft
