// The register steps of a controller: read its properties, disable, enable, shut down (NVM Express Base
// Specification 2.0c, sections 3.5.1, 3.5.2, 3.6.1).
// The admin queue exists already. No function here sends a command.
#pragma once
#include <cstdint>

#include "base/error.h"
#include "nvme/detail/wait.h"
#include "nvme/registers.h"
#include "nvme/transport.h"

namespace fathom::nvme::detail {

constexpr std::uint32_t version_number(std::uint32_t major, std::uint32_t minor, std::uint32_t tertiary = 0) {
  return major << 16 | minor << 8 | tertiary;
}

// The checked contents of the registers. The driver can use each field without further checks.
struct Basics {
  Cap cap;
  std::uint32_t version = 0;              // VS; 1.0.0 if the register is 0
  std::uint32_t quirks = 0;               // quirks.h
  std::uint32_t queue_entries_max = 2;    // a power of two
  std::uint32_t doorbell_queues_max = 0;  // queue pairs with mapped doorbells, including the admin queue
  // Longest wait for CSTS.RDY: CAP.TO (500 ms at least), or CRTO (a minute at most) if it is present and larger.
  std::uint32_t ready_ms = 0;
  std::uint32_t command_set = 0;   // CC.CSS
  bool many_command_sets = false;  // CAP.CSS bit 6: namespaces may have another command set than NVM
};

// The admin queue, as in AQA, ASQ and ACQ.
struct AdminRings {
  std::uint64_t sq_iova = 0, cq_iova = 0;
  std::uint32_t sq_entries = 0, cq_entries = 0;
};

base::Expected<Basics> look(Transport& transport);
// Sets CC.EN = 0 and waits for CSTS.RDY = 0. After that, the controller accesses no memory.
base::Expected<void> disable(Transport& transport, const Basics& basics, NowNs now_ns);
// From disabled to CSTS.RDY = 1. cqes: log2 of the size of I/O completion entries in bytes.
base::Expected<void> enable(Transport& transport, const Basics& basics, const AdminRings& rings, std::uint32_t cqes,
                            NowNs now_ns);
// Sets CC.SHN = normal and waits until CSTS.SHST is complete, limit_ms at most.
base::Expected<void> shut_down(Transport& transport, std::uint64_t limit_ms, NowNs now_ns);

}  // namespace fathom::nvme::detail
