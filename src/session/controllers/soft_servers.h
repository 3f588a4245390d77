// Emulated controllers behind vfio-user sockets, for a driver in another process: fathom's, SPDK's, or a virtual
// machine's. One thread steps all controllers, so they need only one dedicated CPU. `fathom nvme serve`.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::session::controllers {

struct AskedServers {
  std::vector<std::string> sockets;  // one controller each
  std::string soft = "ideal";        // options of the controllers
  int cpu = -1;                      // for the calling thread; -1: the thread is not moved
};

// Serves until `stop` is true. Calls `on_listening` with each socket's path once all sockets exist.
base::Expected<void> serve_soft(const AskedServers& asked, const std::atomic<bool>& stop,
                                const std::function<void(const std::string& path)>& on_listening);

}  // namespace fathom::session::controllers
