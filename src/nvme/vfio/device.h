// A controller behind its VFIO file descriptor: registers, doorbells, bus mastering, and notice of its removal.
//
// Registers (below BAR0 + 0x1000) are accessed with pread and pwrite on the fd, not through a mapping, since they are
// cold. If the device is gone or its memory is disabled, the kernel then returns an error instead of a SIGBUS, and this
// class returns the all ones that PCI specifies.
// Doorbells are mapped and written with stores. Their mapping exists until this object is destroyed. VFIO removes it
// only when the owner of the fd resets the device or disables its memory, which no code here does.
// The bus drops a store to a device that was unplugged.
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
  // Maps the doorbells, enables bus mastering and disables INTx. io: BAR0 is not an NVMe controller's, or cannot be
  // mapped.
  static base::Expected<Device> make(base::system::UniqueFd fd, const std::string& address);
  Device(Device&& other) noexcept;
  Device& operator=(Device&&) = delete;
  ~Device();  // disables bus mastering; closing the fd resets the device

  // All ones: the device is gone. A write is then lost.
  template <class T>
  T read(std::uint32_t offset) const;
  template <class T>
  void write(std::uint32_t offset, T value) const;

  volatile std::uint32_t* doorbells() const { return doorbells_; }
  std::size_t doorbell_bytes() const { return doorbell_bytes_; }
  // The kernel requests the device back (hot unplug, unbind). Each call is a system call until the first true.
  bool gone() const;
  bool has_notice() const { return static_cast<bool>(notice_); }  // the kernel will report a removal

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
