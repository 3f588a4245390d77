// The device thread: it steps emulated controllers in turn, each with its own server. A device step reads doorbells
// in memory. A check of the sockets is a system call and a hundred times as expensive, so it runs only after a thousand
// idle steps or a millisecond of work. Without a client, the thread sleeps.
#pragma once
#include <atomic>
#include <span>

#include "base/error.h"
#include "nvme/soft/controller.h"
#include "nvme/vfio_user/server.h"

namespace fathom::nvme::vfio_user {

struct Served {
  soft::Controller* controller = nullptr;
  Server* server = nullptr;  // for this controller
};

// Returns after `stop` becomes true: within a millisecond while a client is connected, otherwise within 100 ms.
// cpu: CPU for the calling thread; -1: unchanged. ErrorKind::usage: this process may not use that CPU.
base::Expected<void> serve(std::span<const Served> devices, const std::atomic<bool>& stop, int cpu = -1);

}  // namespace fathom::nvme::vfio_user
