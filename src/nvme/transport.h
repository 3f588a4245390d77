// Access to a controller: its registers, its doorbells, and memory that driver and device share.
// A queue pair takes raw pointers from here once (rings, doorbell words).
// It calls no Transport function while I/O succeeds.
// There is one implementation each for vfio-pci (vfio/), a vfio-user socket (vfio_user/) and the emulated controller
// (soft/).
//
// Registers follow PCI: a device that is gone reads as all ones and loses writes. No function here reports that as an
// Error.
// Thread rule: any thread may call register and memory functions, one at a time. The Controller holds its lock for
// this. The owner of the queue pair that waits calls idle(). Any thread may call gone().
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace fathom::nvme {

// Memory that the device may read and write, page-aligned and contiguous for the device. It is zeroed on allocation.
struct DmaMemory {
  std::byte* memory = nullptr;
  std::uint64_t iova = 0;  // the device's address of `memory`
  std::size_t bytes = 0;
};

// Memory that the caller allocated.
// fd and fd_offset describe the mapped file (memfd, hugetlbfs), if another process can map it too.
// A vfio-user device can access only such memory.
struct HostMemory {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  int fd = -1;  // -1: no file
  std::uint64_t fd_offset = 0;
};

// What the transport reports about its device.
struct DeviceIdentity {
  std::uint16_t vendor = 0, device = 0;  // PCI ids: the keys of quirks.h
  // As a user names it: "0000:01:00.0", "vfio-user:/run/a.sock", "soft".
  std::string name;
  int numa_node = -1;  // -1: unknown
  // A write destroys no user data: the emulated controller on memory or a new file.
  bool harmless = false;
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual const DeviceIdentity& identity() const = 0;

  // Registers. `offset`: bytes into BAR0 (registers.h).
  virtual std::uint32_t read32(std::uint32_t offset) = 0;
  virtual std::uint64_t read64(std::uint32_t offset) = 0;
  virtual void write32(std::uint32_t offset, std::uint32_t value) = 0;
  virtual void write64(std::uint32_t offset, std::uint64_t value) = 0;

  // The doorbell words at BAR0 + 0x1000, for plain 32-bit stores. doorbell_bytes() bytes of them are mapped.
  virtual volatile std::uint32_t* doorbells() = 0;
  virtual std::size_t doorbell_bytes() const = 0;
  // Model: cost in ns of every doorbell write of the driver (doorbell_cost.h). 0: the actual cost.
  virtual std::uint64_t doorbell_cost_ns() const { return 0; }

  // Allocates `bytes` bytes, rounded up to whole pages. release() takes the same value.
  // Errors: ErrorKind::io, or ErrorKind::privilege for a limit on locked memory.
  virtual base::Expected<DmaMemory> allocate(std::size_t bytes) = 0;
  virtual void release(const DmaMemory& memory) = 0;
  // Makes memory accessible to the device and returns its IOVA. unmap() takes the same memory.
  // Errors: the memory is already mapped, is empty or misaligned, or too many mappings exist (ErrorKind::io or usage).
  // ErrorKind::usage also: vfio-user with fd -1. ErrorKind::privilege: the limit on locked memory.
  virtual base::Expected<std::uint64_t> map(const HostMemory& memory) = 0;
  virtual void unmap(const HostMemory& memory) = 0;

  // True: a stepped device. The thread that waits for it calls idle() repeatedly, and each call is one device step.
  virtual bool steps() const { return false; }
  virtual void idle() {}
  // The device was removed (a removal event, a closed socket).
  virtual bool gone() const { return false; }
  // What was requested but is not available ("no huge pages: ..."). fathom reports it as a finding.
  virtual const char* fallback() const { return ""; }
};

}  // namespace fathom::nvme
