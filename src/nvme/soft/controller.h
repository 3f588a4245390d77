// The emulated controller: registers, admin and I/O queues as in the specification (NVM Express Base 1.4), on memory
// that a driver shares with it.
//
// Problem: testing a user-space driver needs a controller, and most machines have no spare controller.
// A mock of the driver's own functions would repeat every mistake of the driver.
//
// Choice: it emulates the device, not the driver's calls. It reads words in BAR0 and entries in rings, as a device
// does, and answers by writing memory. The same driver code therefore drives hardware and this controller, in-process
// (nvme/soft/transport.h) or over a vfio-user socket (nvme/vfio_user/server.h).
// It is part of the product: the built-in default of ioengine=nvme without a device, with a latency model (latency.h)
// and faults on request (faults.h). It models no flash, so a rate measured on it is the cost of the driver.
//
// It trusts no input. It translates every address from the driver through the regions that map() added.
// For an unmapped address, the command ends in an error, or the controller in CSTS.CFS.
//
// Thread rule: any thread may call read_register, write_register, map and unmap (an internal lock, not on the I/O
// path); step() from one thread at a time.
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
inline constexpr std::uint16_t kVendorId = 0xfa70, kDeviceId = 0x0001;  // PCI ids; the vendor id is unassigned
using Clock = std::function<std::uint64_t()>;                           // nanoseconds, monotonic

class Controller {
 public:
  // clock: for the latency model and late completions; empty: CLOCK_MONOTONIC.
  // ErrorKind::usage: options out of range; io: no memory, or no file for the blocks.
  static base::Expected<std::unique_ptr<Controller>> make(const Options& options, Clock clock = {});
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Registers below 0x1000. bytes is 4 or 8, and offset is a multiple of it. Other reads return all ones; other writes
  // are ignored.
  std::uint64_t read_register(std::uint32_t offset, std::uint32_t bytes);
  void write_register(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value);
  // BAR0 as a memfd. The doorbells at 0x1000 are shared words, which step() reads.
  int bar_fd() const;
  volatile std::uint32_t* doorbells();

  // Adds driver memory: the device addresses [iova, iova + memory.bytes) are memory.memory here.
  // False: overlap, wrap, or too many regions.
  // Access::read: a command that would write there ends in Data Transfer Error.
  bool map(std::uint64_t iova, const HostMemory& memory, memory::Access access = memory::Access::write);
  bool unmap(std::uint64_t iova, std::uint64_t bytes);
  // A transport fault: if a queue's ring begins at iova, the controller stops serving that queue until a reset.
  void drop_queue_at(std::uint64_t iova);

  // Does the work that doorbells and the latency model have made due. Returns how much it did (0: idle). Each call does
  // bounded work.
  unsigned step();
  bool removed() const;  // a removal fault occurred: registers read as all ones
  void remove();         // surprise removal, from any thread
  void reset();          // as DEVICE_RESET of vfio-user: CC.EN = 0, and all queues are deleted
  // Removes or restores a namespace while the host is attached, with changed-namespace log and event. False: no such
  // namespace.
  bool set_active(std::uint32_t nsid, bool active);
  const Options& options() const;
  bool harmless() const;  // a write destroys no data that existed before this controller was made

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  explicit Controller(std::unique_ptr<Impl> impl);
};

}  // namespace fathom::nvme::soft
