// The NVMe controllers of this process. A controller can be opened only once, so the jobs that name it share it, each
// with queue pairs of its own; it stays open until close_nvme_devices(), so that what one job writes into a soft
// controller the next one reads. Thread rule: any thread (one lock, not on the I/O path).
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
  // errno, set by the first worker that finds the controller gone, fatal or deaf: every other ends its own queue pairs.
  std::atomic<int> failed{0};
};

// Opens it, or hands out the one that is open.
base::Expected<std::shared_ptr<NvmeDevice>> nvme_device(const nvme::DeviceAddress& address,
                                                        const io::EngineOptions& options);
// Orderly shutdown of all of them; nobody uses one any more.
void close_nvme_devices();

// The health log (02h) of an open controller, by an admin command: not while another thread sends one.
base::Expected<std::array<std::byte, 512>> nvme_health_log(const std::string& name);

}  // namespace fathom::engine::userspace
