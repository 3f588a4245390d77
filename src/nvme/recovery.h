// What to do about an I/O command that is overdue (QueueCore::overdue): the specification's two steps, one after the
// other.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "nvme/controller.h"

namespace fathom::nvme {

enum class Recovery {
  none,
  aborted,  // the controller says that it aborted the command: its completion comes with the next poll()
  reset,    // the controller was reset: the command, and all others, have ended in error
};

// Aborts the command; resets the controller when that does not help. `tried` is what the last call for the same command
// returned: a controller that claims to have aborted it, and still owes the completion, is reset. After an Error the
// queues are dead and everything has ended (Controller::fail_all).
// Thread rule: as Controller::reset().
base::Expected<Recovery> recover(Controller& controller, const QueueCore& queue, std::uint16_t cid,
                                 Recovery tried = Recovery::none);

}  // namespace fathom::nvme
