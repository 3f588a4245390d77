// A job's options for the metadata of an NVMe namespace: metadata bytes per I/O, the generator of its protection
// information, and the parts to check.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

// Bits of dword 12 of a read or write (NVM Command Set Specification 1.0, figure 12: PRINFO).
inline constexpr std::uint32_t kDeviceProtects = 1u << 29;  // PRACT
inline constexpr std::uint32_t kCheckGuard = 1u << 28, kCheckAppTag = 1u << 27, kCheckRefTag = 1u << 26;

struct ProtectionOptions : OfEngine {
  unsigned md_per_io_bytes = 0;
  bool pi_act = true;        // the device generates protection information, and strips it if it is all the metadata
  std::uint32_t checks = 0;  // bits of dword 12
  unsigned apptag = 0x1234, apptag_mask = 0xffff;
};

inline constexpr Choice kPiChecks[] = {
    {"GUARD", int(kCheckGuard), "the checksum of the data"},
    {"REFTAG", int(kCheckRefTag), "the number of the block"},
    {"APPTAG", int(kCheckAppTag), "apptag, where apptag_mask has bits"},
};

// "GUARD,APPTAG"
inline Outcome read_pi_chk(ProtectionOptions& own, const Value& value) {
  std::uint32_t checks = 0;
  for (const auto part : options::split(value.text, ',')) {
    int bit = 0;
    if (auto problem = read_choice(value.part(part), bit)) return problem;
    checks |= static_cast<std::uint32_t>(bit);
  }
  own.checks = checks;
  return {};
}

inline constexpr Row kProtectionRows[] = {
    count<&ProtectionOptions::md_per_io_bytes>(
        {"md_per_io_size", "0", "Bytes of metadata per I/O, in a separate buffer"}, 0, 1u << 20),
    boolean<&ProtectionOptions::pi_act>(
        {"pi_act", "1", "Let the device generate and check protection information; 0: the job does"}),
    special<read_pi_chk>(
        {"pi_chk", "", "Parts of protection information that the device checks: GUARD, REFTAG, APPTAG"}, Type::list, 0,
        0, 0, false, kPiChecks),
    count<&ProtectionOptions::apptag>({"apptag", "0x1234", "Application tag of protection information"}, 0, 0xffff),
    count<&ProtectionOptions::apptag_mask>(
        {"apptag_mask", "0xffff", "Bits of apptag that are compared where pi_chk has APPTAG"}, 0, 0xffff),
};
inline constexpr OptionTable kProtectionOptions{"protection", kProtectionRows};

}  // namespace fathom::io
