// The nvme loop with non-temporal stores, for deep queues.
#include "loops/nvme.h"

namespace fathom::loops {

base::Expected<void> nvme_nontemporal_loop(LoopContext& context) {
  return nvme_full<engine::userspace::kDeepPolicy>(context);
}

}  // namespace fathom::loops
