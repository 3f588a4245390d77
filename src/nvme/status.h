// What a completion's status field says, in the specification's words (NVM Express Base Specification 2.0c, figures 99
// to 104; NVM Command Set Specification 1.0c, figures 5 and 6). A status here is without the phase bit, as status_of()
// gives it: SC (7:0), SCT (10:8), CRD (12:11), M (13), DNR (14).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "nvme/command.h"

namespace fathom::nvme {

constexpr std::uint8_t status_code(std::uint16_t status) { return static_cast<std::uint8_t>(status); }
constexpr std::uint8_t status_code_type(std::uint16_t status) { return static_cast<std::uint8_t>(status >> 8 & 7); }
constexpr bool do_not_retry(std::uint16_t status) { return status >> 14 & 1; }
// SCT and SC without the bits that vary: what the constants below are compared with.
constexpr std::uint16_t status_kind(std::uint16_t status) { return status & 0x7ff; }

inline constexpr std::uint16_t kInvalidField = 0x002;
inline constexpr std::uint16_t kInvalidNamespace = 0x00b;
inline constexpr std::uint16_t kCommandSequenceError = 0x00c;
inline constexpr std::uint16_t kInvalidCommandSet = 0x02c;
inline constexpr std::uint16_t kLbaOutOfRange = 0x080;
inline constexpr std::uint16_t kAsyncEventLimit = 0x105;

// "LBA Out of Range"; of a code without a name, that of its type: "Vendor Specific".
std::string_view status_name(std::uint16_t status);
// "LBA Out of Range (SCT 0h, SC 80h, DNR)".
std::string status_text(std::uint16_t status);
// "0000:01:00.0: identify: Invalid Field in Command (SCT 0h, SC 02h)"; ErrorKind::io, EIO.
base::Error status_error(const std::string& device, std::string_view action, std::uint16_t status);
// "Identify", "Get Log Page"; "opcode C1h" of one without a name.
std::string admin_opcode_name(std::uint8_t opcode);

}  // namespace fathom::nvme
