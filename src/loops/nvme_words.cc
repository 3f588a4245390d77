// The nvme loop with plain stores, for shallow queues.
#include "loops/nvme.h"

namespace fathom::loops {

base::Expected<void> nvme_words_loop(LoopContext& context) {
  return nvme_full<engine::userspace::kPlainPolicy>(context);
}

}  // namespace fathom::loops
