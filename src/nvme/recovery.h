// Recovery from an overdue I/O command (QueueCore::overdue): abort, then controller reset.
// Source: NVM Express Base Specification 2.0c, sections 5.1 (Abort) and 3.7.2 (controller level reset).
#pragma once
#include <cstdint>

#include "base/error.h"
#include "nvme/controller.h"

namespace fathom::nvme {

enum class Recovery {
  none,  // no attempt yet
  // The controller reports that it aborted the command. The completion arrives with the next poll().
  aborted,
  // The controller was reset. This command and all others have ended with an error.
  reset,
};

// Aborts command `cid` of `queue`. If the abort fails, resets the controller.
// `tried` is the result of the last call for the same command, or none.
// If the controller reported an abort but sent no completion, the next call resets it.
// Errors: those of Controller::reset(). Then the queues are dead and every command has ended (Controller::fail_all).
// Waits: those of Controller::abort() and reset(). Callbacks run in this call.
// Thread rule: as Controller::reset().
base::Expected<Recovery> recover(Controller& controller, const QueueCore& queue, std::uint16_t cid,
                                 Recovery tried = Recovery::none);

}  // namespace fathom::nvme
