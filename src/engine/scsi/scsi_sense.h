// Text for a SCSI device's refusal of a command. Sources: SPC-5 (sense data of both formats, sense keys, additional
// sense codes), SAM-5 (status). No allocation: the functions run during the job.
#pragma once
#include <cstdint>
#include <span>

#include "engine/scsi/scsi_commands.h"

namespace fathom::engine::scsi {

struct ScsiAnswer {
  std::span<const std::uint8_t> sense;  // empty: no sense data
  unsigned status = 0;                  // of the device
  unsigned host = 0;                    // not 0: the command did not reach the device (DID_* of the kernel)
};

enum class SenseKey : std::uint8_t { none = 0, illegal_request = 5, unit_attention = 6 };
SenseKey sense_key(std::span<const std::uint8_t> sense);  // other keys as their number

// "command 2f: miscompare (0e/1d/00): what the device holds is not what was sent"
void say_refused(std::span<char> text, const ScsiCommand& command, const ScsiAnswer& answer);

}  // namespace fathom::engine::scsi
