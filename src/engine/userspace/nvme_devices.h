// The NVMe controllers of this process. A controller can be opened only once, so jobs that name it share it, each with
// its own queue pairs. It stays open until close_nvme_devices(): the next job reads what an earlier one wrote to an
// emulated controller. Thread rule: any thread (one lock, not on the I/O path).
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "nvme/controller.h"
#include "nvme/device_address.h"

namespace fathom::engine::userspace {

struct NvmeDevice {
  std::unique_ptr<nvme::Controller> controller;
  // errno, set by the first worker that finds the controller gone, failed or unresponsive. Each other worker then ends
  // its own queue pairs.
  std::atomic<int> failed{0};
};

// Opens a controller, or returns the open one.
base::Expected<std::shared_ptr<NvmeDevice>> nvme_device(const nvme::DeviceAddress& address,
                                                        const io::EngineOptions& options);
// Orderly shutdown of all controllers. They must be unused.
void close_nvme_devices();

// The health log (02h) of an open controller, read by an admin command. No other thread may send one at the same time.
base::Expected<std::array<std::byte, 512>> nvme_health_log(const std::string& name);

}  // namespace fathom::engine::userspace
