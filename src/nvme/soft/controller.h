// The controller in software: registers, admin and I/O queues as the specification has them (NVM Express Base 1.4), on
// memory that a driver shares with it.
//
// Problem: a user-space driver is tested by what a controller does to it, and most machines have none to spare; a mock of
// the driver's own functions would agree with every mistake that the driver makes.
//
// Choice: what is imitated is the device, not the driver's calls. It sees what a device sees, words in BAR0 and entries in
// rings, and answers by writing memory; so the very code that drives hardware drives it, in-process (nvme/soft/transport.h) or
// behind a socket of the vfio-user protocol (nvme/vfio_user/server.h). It is a part of the product: the embedded default of
// ioengine=nvme without a device, with a latency model (latency.h) and faults on demand (faults.h). It models no flash:
// a rate measured on it says what the driver costs.
//
// It trusts nothing that it is given: every address a driver writes is translated through the regions mapped below, or the
// command ends in error (or the controller in CSTS.CFS).
//
// Thread rule: read_register, write_register, map and unmap from any thread (a lock inside, not on the I/O path);
// step() from one thread at a time.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "nvme/soft/memory/regions.h"
#include "nvme/soft/options.h"
#include "nvme/transport.h"

namespace fathom::nvme::soft {

inline constexpr std::uint32_t kBarBytes = 0x4000;  // BAR0: registers, then doorbells from 0x1000
inline constexpr std::uint32_t kDoorbellBytes = 0x3000;
inline constexpr std::uint32_t kVersion = 0x00010400;                   // 1.4.0
inline constexpr std::uint16_t kVendorId = 0xfa70, kDeviceId = 0x0001;  // PCI ids; the vendor's belongs to nobody
using Clock = std::function<std::uint64_t()>;                           // nanoseconds, never going back

class Controller {
 public:
  // clock: what the latency model and late completions go by; none: CLOCK_MONOTONIC. ErrorKind::usage: options out of
  // range; io: no memory or no file for the blocks.
  static base::Expected<std::unique_ptr<Controller>> make(const Options& options, Clock clock = {});
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Registers below 0x1000; bytes is 4 or 8, offset its multiple. Anything else reads as all ones and writes nothing.
  std::uint64_t read_register(std::uint32_t offset, std::uint32_t bytes);
  void write_register(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value);
  // BAR0 as a memfd: the doorbells at 0x1000 are shared words, looked at by step().
  int bar_fd() const;
  volatile std::uint32_t* doorbells();

  // The driver's memory: [iova, iova + memory.bytes) is memory.memory here. False: overlap, wrap, or too many regions.
  // Access::read: a command that would write there ends in Data Transfer Error.
  bool map(std::uint64_t iova, const HostMemory& memory, memory::Access access = memory::Access::write);
  bool unmap(std::uint64_t iova, std::uint64_t bytes);
  // A fault of the transport's: the queue whose ring begins at iova, if any, is served no more until a reset.
  void drop_queue_at(std::uint64_t iova);

  // Does what the doorbells and the latency model have become due; how much was done (0: idle). Bounded work a call.
  unsigned step();
  bool removed() const;  // a removal fault has struck: registers read as all ones
  void remove();         // surprise removal, from any thread
  void reset();          // as DEVICE_RESET of vfio-user: CC.EN = 0 and every queue gone
  // Takes a namespace away or gives it back while the host looks: the changed-namespace log and its event. False: no
  // such namespace.
  bool set_active(std::uint32_t nsid, bool active);
  const Options& options() const;
  bool harmless() const;  // writing destroys nothing that was there before this controller was made

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  explicit Controller(std::unique_ptr<Impl> impl);
};

}  // namespace fathom::nvme::soft
