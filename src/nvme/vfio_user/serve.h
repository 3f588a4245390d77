// The device thread: soft controllers, each behind its server, stepped in turns. A device step looks at doorbells in
// memory; a look at the sockets is a system call and a hundred times dearer, so there is one after a thousand steps
// that found nothing to do, or a millisecond of work. Without any client the thread sleeps.
#pragma once
#include <atomic>
#include <span>

#include "base/error.h"
#include "nvme/soft/controller.h"
#include "nvme/vfio_user/server.h"

namespace fathom::nvme::vfio_user {

struct Served {
  soft::Controller* controller = nullptr;
  Server* server = nullptr;  // of this controller
};

// Returns when `stop` has become true: within a millisecond while a client is there, within 100 ms otherwise. cpu:
// where the calling thread shall run, -1: where it is. ErrorKind::usage: no such CPU for this process.
base::Expected<void> serve(std::span<const Served> devices, const std::atomic<bool>& stop, int cpu = -1);

}  // namespace fathom::nvme::vfio_user
