// Soft controllers behind vfio-user sockets, for a driver in another process: ours, SPDK's, or a virtual machine's. One
// thread steps every controller, so that a CPU of its own is all it takes. `fathom nvme serve`.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::session::controllers {

struct AskedServers {
  std::vector<std::string> sockets;  // a controller each
  std::string soft = "ideal";        // what the controllers are like
  int cpu = -1;                      // that the calling thread runs on; -1: where it is
};

// Until `stop` is true. `on_listening` is told each socket's path when all are there.
base::Expected<void> serve_soft(const AskedServers& asked, const std::atomic<bool>& stop,
                                const std::function<void(const std::string& path)>& on_listening);

}  // namespace fathom::session::controllers
