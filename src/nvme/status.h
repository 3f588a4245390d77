// The status field of a completion, in the specification's words.
// Source: NVM Express Base Specification 2.0c, figures 99 to 104; NVM Command Set Specification 1.0c, figures 5 and 6.
// A status here has no phase bit, as returned by status_of(): SC (7:0), SCT (10:8), CRD (12:11), M (13), DNR (14).
// Thread rule: pure functions; any thread.
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
// SCT and SC without the variable bits. Compare the result with the constants below.
constexpr std::uint16_t status_kind(std::uint16_t status) { return status & 0x7ff; }

inline constexpr std::uint16_t kInvalidField = 0x002;
inline constexpr std::uint16_t kInvalidNamespace = 0x00b;
inline constexpr std::uint16_t kCommandSequenceError = 0x00c;
inline constexpr std::uint16_t kInvalidCommandSet = 0x02c;
inline constexpr std::uint16_t kLbaOutOfRange = 0x080;
inline constexpr std::uint16_t kAsyncEventLimit = 0x105;

// "LBA Out of Range". A code without a name gets the name of its type ("Vendor Specific").
std::string_view status_name(std::uint16_t status);
// "LBA Out of Range (SCT 0h, SC 80h, DNR)".
std::string status_text(std::uint16_t status);
// ErrorKind::io, EIO, with the text "0000:01:00.0: identify: Invalid Field in Command (SCT 0h, SC 02h)".
// `action` is "identify" here.
base::Error status_error(const std::string& device, std::string_view action, std::uint16_t status);
// "Identify", "Get Log Page"; an opcode without a name becomes "admin opcode C1h".
std::string admin_opcode_name(std::uint8_t opcode);

}  // namespace fathom::nvme
