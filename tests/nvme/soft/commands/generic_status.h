// Status codes that admin and I/O commands share (NVMe Base Specification, Generic Command Status).
#pragma once
#include <cstdint>

namespace fathom::nvme::soft::commands {

inline constexpr std::uint16_t kField = 0x002, kTransfer = 0x004, kNamespaceError = 0x00b, kOffset = 0x013;

}  // namespace fathom::nvme::soft::commands
