// Words for classes that may share a port with a disk, from the PCI Code and ID Assignment Specification. The most
// specific row applies: base class, sub-class and interface, then base and sub-class, then base class only.
#include <fmt/format.h>

#include "host/pci/pci_tree.h"

namespace fathom::host::pci {
namespace {

struct ClassRow {
  std::uint32_t code, mask;
  const char* text;
};
constexpr ClassRow kClasses[] = {
    {0x010802, 0xffffff, "NVMe controller"},
    {0x010601, 0xffffff, "SATA controller (AHCI)"},
    {0x010000, 0xffff00, "SCSI controller"},
    {0x010100, 0xffff00, "IDE controller"},
    {0x010400, 0xffff00, "RAID controller"},
    {0x010600, 0xffff00, "SATA controller"},
    {0x010700, 0xffff00, "SAS controller"},
    {0x010800, 0xffff00, "non-volatile memory controller"},
    {0x018000, 0xffff00, "mass storage controller"},
    {0x020000, 0xffff00, "Ethernet controller"},
    {0x020700, 0xffff00, "InfiniBand controller"},
    {0x030000, 0xffff00, "VGA controller"},
    {0x030200, 0xffff00, "3D controller"},
    {0x040300, 0xffff00, "audio device"},
    {0x0c0330, 0xffffff, "USB controller (xHCI)"},
    {0x0c0300, 0xffff00, "USB controller"},
    {0x0c0500, 0xffff00, "SMBus"},
    {0x080600, 0xffff00, "IOMMU"},
    {0x080700, 0xffff00, "root complex event collector"},
    {0x0b4000, 0xffff00, "co-processor"},
    {0x010000, 0xff0000, "storage controller"},
    {0x020000, 0xff0000, "network controller"},
    {0x030000, 0xff0000, "display controller"},
    {0x040000, 0xff0000, "multimedia device"},
    {0x050000, 0xff0000, "memory controller"},
    {0x060000, 0xff0000, "bridge"},
    {0x070000, 0xff0000, "communication controller"},
    {0x080000, 0xff0000, "system peripheral"},
    {0x0b0000, 0xff0000, "processor"},
    {0x0c0000, 0xff0000, "serial bus controller"},
    {0x0d0000, 0xff0000, "wireless controller"},
    {0x100000, 0xff0000, "encryption controller"},
    {0x110000, 0xff0000, "signal processing controller"},
    {0x120000, 0xff0000, "processing accelerator"},
    {0x130000, 0xff0000, "instrumentation"},
    {0xff0000, 0xff0000, "device of no class"},
};

}  // namespace

std::string pci_class_text(std::uint32_t class_code) {
  for (const auto& row : kClasses) {
    if ((class_code & row.mask) == row.code) return row.text;
  }
  return fmt::format("class {:06x}", class_code);
}

}  // namespace fathom::host::pci
