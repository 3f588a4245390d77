// Aborts the command, then resets the controller, then gives up.
#include "nvme/recovery.h"

namespace fathom::nvme {

base::Expected<Recovery> recover(Controller& controller, const QueueCore& queue, std::uint16_t cid, Recovery tried) {
  if (tried == Recovery::none && !controller.failed()) {
    const auto aborted = controller.abort(queue, cid);
    if (aborted && *aborted) return Recovery::aborted;
  }
  if (auto done = controller.reset(); !done) {
    controller.fail_all();
    return done.error();
  }
  return Recovery::reset;
}

}  // namespace fathom::nvme
