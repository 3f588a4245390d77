// How a driver reaches a controller: its registers, its doorbells, and memory that both see. Cold: a queue pair takes
// raw pointers from here once (rings, doorbell words) and calls nothing of it while I/O goes well. One implementation
// each for vfio-pci (vfio/), a vfio-user socket (vfio_user/) and the in-process controller (soft/).
//
// Registers follow PCI: a device that is gone reads as all ones, and writes to it are lost; nothing here fails loudly.
// Thread rule: registers and memory functions from any thread, one at a time (the Controller holds its own lock);
// idle() from the owner of the queue pair that waits.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace fathom::nvme {

// Memory that the device may read and write, page-aligned, zeroed when allocated.
struct DmaMemory {
  std::byte* memory = nullptr;
  std::uint64_t iova = 0;  // where the device sees it
  std::size_t bytes = 0;
};

// Memory that somebody else allocated. fd and fd_offset when it is a mapping of a file that another process can map too
// (memfd, hugetlbfs): a vfio-user device can see nothing else.
struct HostMemory {
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  int fd = -1;
  std::uint64_t fd_offset = 0;
};

struct DeviceIdentity {
  std::uint16_t vendor = 0, device = 0;  // PCI ids: what quirks.h looks up
  std::string name;                      // as the user would name it: "0000:01:00.0", "vfio-user:/run/a.sock", "soft"
  int numa_node = -1;
  bool harmless = false;  // writing destroys nobody's data: the in-process controller on memory or a new file
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual const DeviceIdentity& identity() const = 0;

  virtual std::uint32_t read32(std::uint32_t offset) = 0;
  virtual std::uint64_t read64(std::uint32_t offset) = 0;
  virtual void write32(std::uint32_t offset, std::uint32_t value) = 0;
  virtual void write64(std::uint32_t offset, std::uint64_t value) = 0;

  // The doorbell words, BAR0 + 0x1000, for plain 32-bit stores; doorbell_bytes() of them are mapped.
  virtual volatile std::uint32_t* doorbells() = 0;
  virtual std::size_t doorbell_bytes() const = 0;
  // A model: every doorbell write of the driver shall cost so long (0: what it really costs).
  virtual std::uint64_t doorbell_cost_ns() const { return 0; }

  virtual base::Expected<DmaMemory> allocate(std::size_t bytes) = 0;
  virtual void release(const DmaMemory& memory) = 0;
  // Makes memory visible to the device; the IOVA it gets. unmap() by the same memory.
  virtual base::Expected<std::uint64_t> map(const HostMemory& memory) = 0;
  virtual void unmap(const HostMemory& memory) = 0;

  // A steppable device: whoever waits for it calls idle() again and again, and each call is a step of the device.
  virtual bool steps() const { return false; }
  virtual void idle() {}
  // The device has been taken away (a removal event, a closed socket). May be asked from any thread.
  virtual bool gone() const { return false; }
  // What was asked for and done without ("no huge pages: ..."): findings.
  virtual const char* fallback() const { return ""; }
};

}  // namespace fathom::nvme
