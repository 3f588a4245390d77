// The configuration space as a table: the values, and the bits that a driver may change.
#include "nvme/vfio_user/pci_config.h"

#include <algorithm>

#include "nvme/soft/controller.h"
#include "nvme/vfio_user/protocol.h"

namespace fathom::nvme::vfio_user {
namespace {

constexpr std::uint32_t kExpressCap = 0x40;

struct Field {
  std::uint32_t offset, bytes, value, writable;
};
constexpr Field kFields[] = {
    {kPciCommand, 2, 0, kPciMemory | kPciBusMaster | kPciIntxDisable},
    {0x06, 2, 0x0010, 0},                          // status: a list of capabilities exists
    {kPciRevision, 4, kNvmeClass << 8 | 0x01, 0},  // class code and revision
    {0x0c, 1, 0, 0xff},                            // cache line size: stored, without effect
    {0x10, 4, 0x4, ~(soft::kBarBytes - 1)},        // BAR0: 64-bit memory; its read-only bits show its size
    {0x14, 4, 0, 0xffffffff},                      // BAR0, upper half
    {0x34, 1, kExpressCap, 0},                     // the first capability
    {0x3c, 1, 0, 0xff},                            // interrupt line: stored; the pin stays 0, no interrupt
    {kExpressCap + 0x00, 4, 0x0002'0010, 0},       // PCI Express, version 2, an endpoint; the last capability
    {kExpressCap + 0x04, 4, 0x0000'8000, 0},       // device capabilities: role-based error reporting
    {kExpressCap + 0x08, 2, 0, 0x7fff},            // device control: stored, but no function-level reset
    {kExpressCap + 0x0c, 4, 0x0000'0011, 0},       // link capabilities: 2.5 GT/s, one lane
    {kExpressCap + 0x10, 2, 0, 0x0003},            // link control
    {kExpressCap + 0x12, 2, 0x0011, 0},            // link status: the same
};

}  // namespace

PciConfig::PciConfig(std::uint16_t vendor, std::uint16_t device) {
  set(kPciVendor, 2, vendor);
  set(kPciDevice, 2, device);
  set(0x2c, 2, vendor);  // subsystem
  set(0x2e, 2, device);
  for (const auto& f : kFields) set(f.offset, f.bytes, f.value, f.writable);
}

void PciConfig::set(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value, std::uint32_t writable) {
  for (std::uint32_t i = 0; i < bytes; ++i) {
    value_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
    writable_[offset + i] = static_cast<std::uint8_t>(writable >> (8 * i));
  }
}

void PciConfig::read(std::uint32_t offset, std::span<std::byte> to) const {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::byte{value_[offset + i]};
}

void PciConfig::write(std::uint32_t offset, std::span<const std::byte> from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto mask = writable_[offset + i];
    auto& value = value_[offset + i];
    value = static_cast<std::uint8_t>((value & ~mask) | (std::to_integer<std::uint8_t>(from[i]) & mask));
  }
}

}  // namespace fathom::nvme::vfio_user
