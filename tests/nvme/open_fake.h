// A controller brought up on a fake device, with waits bounded by a clock that the waiting itself moves.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "nvme/controller.h"
#include "nvme/fake_device.h"
#include "nvme/queue_pair.h"

namespace fathom::nvme {

inline ControllerOptions fake_options() {
  ControllerOptions o;
  o.admin_timeout_ms = 100;
  o.io_queues = 4;
  o.now_ns = fake_now_ns;
  return o;
}

inline base::Expected<std::unique_ptr<Controller>> try_open(FakeDevice& device,
                                                            ControllerOptions options = fake_options(),
                                                            std::uint16_t vendor = 0, std::uint16_t id = 0) {
  auto transport = std::make_unique<FakeTransport>(device);
  transport->identity_.vendor = vendor;
  transport->identity_.device = id;
  return Controller::open(std::move(transport), options);
}

// For tests that are about what comes after.
inline std::unique_ptr<Controller> open_well(FakeDevice& device, ControllerOptions options = fake_options()) {
  auto opened = try_open(device, options);
  if (!opened) throw std::runtime_error(opened.error().what + ": " + opened.error().cause);
  return std::move(*opened);
}

// How often each command of a test has ended, and how.
struct Ended {
  int calls = 0;
  std::uint16_t status = 0;
  static void callback(void* context, const Completion& completion) {
    auto* self = static_cast<Ended*>(context);
    ++self->calls;
    self->status = status_of(completion);
  }
};

inline constexpr std::uint64_t kBuffer = 0x40000000;  // an address is all that the driver needs of the data

// Of completions whose callback nobody waits for.
inline void nothing(void*, std::uint16_t) {}

inline bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace fathom::nvme
