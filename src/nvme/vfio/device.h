// A controller behind its VFIO file descriptor: registers, doorbells, bus mastering, and word of its removal.
//
// Registers (below BAR0 + 0x1000) go through pread and pwrite on the fd and not through a mapping: they are cold, and a
// device whose memory is switched off or that is gone then answers with an error instead of a SIGBUS, which becomes the
// all ones that PCI promises. Doorbells are mapped and stored to. Their mapping stays until this object ends: VFIO
// takes it away only when the owner of the fd resets the device or switches its memory off, which nobody does here, and
// a store to a device that has been pulled out is lost on the bus.
//
// Thread rule: the transport's; gone() from any thread.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::nvme::vfio {

class Device {
 public:
  // Maps the doorbells, switches bus mastering on and INTx off. io: BAR0 is no NVMe controller's, or cannot be mapped.
  static base::Expected<Device> make(base::system::UniqueFd fd, const std::string& address);
  Device(Device&& other) noexcept;
  Device& operator=(Device&&) = delete;
  ~Device();  // bus mastering off; closing the fd resets the device

  // All ones when the device is gone; a write is lost.
  template <class T>
  T read(std::uint32_t offset) const;
  template <class T>
  void write(std::uint32_t offset, T value) const;

  volatile std::uint32_t* doorbells() const { return doorbells_; }
  std::size_t doorbell_bytes() const { return doorbell_bytes_; }
  // The kernel wants the device back (hot unplug, unbind): one system call until it has said so once.
  bool gone() const;
  bool has_notice() const { return static_cast<bool>(notice_); }  // the kernel will tell of a removal

 private:
  explicit Device(base::system::UniqueFd fd) : fd_(std::move(fd)) {}
  base::Expected<void> map_doorbells(const std::string& address);
  base::Expected<void> set_command(std::uint16_t on, std::uint16_t off, const std::string& address) const;
  void ask_for_notice();

  base::system::UniqueFd fd_, notice_;
  std::uint64_t bar_offset_ = 0;
  volatile std::uint32_t* doorbells_ = nullptr;
  std::size_t doorbell_bytes_ = 0;
  mutable std::atomic<bool> gone_{false};
};

}  // namespace fathom::nvme::vfio
