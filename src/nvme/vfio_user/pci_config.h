// The PCI configuration space of the exported controller (PCI Local Bus Specification 3.0, section 6.1; PCI Express
// Base Specification, section 7.5.3; NVM Express over PCIe Transport Specification 1.0c, section 3.8).
// It is an NVMe controller with one memory BAR of 16 KiB and no interrupt, because the device is polled.
// The space is an array of bytes with a mask of the writable bits.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fathom::nvme::vfio_user {

inline constexpr std::uint32_t kConfigBytes = 4096;

class PciConfig {
 public:
  PciConfig(std::uint16_t vendor, std::uint16_t device);
  // The caller has checked that offset + size is within kConfigBytes.
  void read(std::uint32_t offset, std::span<std::byte> to) const;
  void write(std::uint32_t offset, std::span<const std::byte> from);

 private:
  void set(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value, std::uint32_t writable = 0);
  std::array<std::uint8_t, kConfigBytes> value_{}, writable_{};
};

}  // namespace fathom::nvme::vfio_user
