// One thread serves all devices: frequent steps, infrequent checks of the sockets.
#include "nvme/vfio_user/serve.h"

#include <poll.h>

#include <chrono>
#include <vector>

#include "base/system/affinity.h"

namespace fathom::nvme::vfio_user {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kStepsBetweenLooks = 64;  // steps per device between two clock reads
constexpr unsigned kIdleStepsMax = 1000;     // idle steps of all devices before a check of the sockets
constexpr auto kBusyMax = std::chrono::milliseconds(1);
constexpr int kSleepMs = 100;

// Steps the controllers until they have nothing to do, or for a millisecond.
void step_devices(std::span<soft::Controller* const> controllers) {
  const auto end = Clock::now() + kBusyMax;
  for (std::size_t idle_steps = 0; idle_steps < kIdleStepsMax;) {
    unsigned done = 0;
    for (unsigned i = 0; i < kStepsBetweenLooks; ++i)
      for (auto* controller : controllers) done += controller->step();
    idle_steps = done == 0 ? idle_steps + kStepsBetweenLooks * controllers.size() : 0;
    if (Clock::now() >= end) return;
  }
}

base::Expected<void> stay_on(int cpu) {
  const int failed = cpu < 0 ? 0 : base::system::run_on(cpu);
  if (failed == 0) return {};
  return base::Error{.kind = base::ErrorKind::usage,
                     .what = "CPU " + std::to_string(cpu) + ": the device thread cannot run there",
                     .cause = "the CPU does not exist, or this process may not use it",
                     .help = "choose a CPU that `taskset -p $$` allows; `nproc` shows how many exist",
                     .place = {},
                     .sys_errno = failed};
}

}  // namespace

base::Expected<void> serve(std::span<const Served> devices, const std::atomic<bool>& stop, int cpu) {
  if (auto placed = stay_on(cpu); !placed) return placed;
  std::vector<pollfd> sockets;
  for (const auto& d : devices) sockets.push_back({.fd = d.server->fd(), .events = POLLIN, .revents = 0});
  std::vector<soft::Controller*> active;
  active.reserve(devices.size());
  while (!stop.load(std::memory_order_relaxed)) {
    const int ready = ::poll(sockets.data(), sockets.size(), active.empty() ? kSleepMs : 0);
    active.clear();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      auto& server = *devices[i].server;
      if ((ready > 0 && sockets[i].revents != 0) || server.wants_step()) server.step();
      if (server.has_client()) active.push_back(devices[i].controller);
    }
    if (!active.empty()) step_devices(active);
  }
  return {};
}

}  // namespace fathom::nvme::vfio_user
