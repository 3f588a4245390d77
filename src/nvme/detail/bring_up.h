// The register half of a controller's life (NVM Express Base Specification 2.0c, sections 3.5.1, 3.5.2, 3.6.1): looking
// at what it is, disabling, enabling, shutting down. The admin queue exists already; nothing here sends a command.
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

// What the registers say, checked: everything here can be used as it is.
struct Basics {
  Cap cap;
  std::uint32_t version = 0;              // VS; 1.0.0 when the register says nothing
  std::uint32_t quirks = 0;               // quirks.h
  std::uint32_t queue_entries_max = 2;    // a power of two
  std::uint32_t doorbell_queues_max = 0;  // queue pairs whose doorbells are mapped, the admin queue's included
  std::uint32_t ready_ms = 0;      // the longest wait for CSTS.RDY: CAP.TO, or CRTO up to a minute where there is one
  std::uint32_t command_set = 0;   // CC.CSS
  bool many_command_sets = false;  // CAP.CSS bit 6: namespaces may belong to others than the NVM command set
};

// The admin queue as AQA, ASQ and ACQ have it.
struct AdminRings {
  std::uint64_t sq_iova = 0, cq_iova = 0;
  std::uint32_t sq_entries = 0, cq_entries = 0;
};

base::Expected<Basics> look(Transport& transport);
// CC.EN = 0 and CSTS.RDY = 0 afterwards: the controller touches no memory any more.
base::Expected<void> disable(Transport& transport, const Basics& basics, NowNs now_ns);
// From disabled to CSTS.RDY = 1. cqes: log2 of the bytes of I/O completion entries.
base::Expected<void> enable(Transport& transport, const Basics& basics, const AdminRings& rings, std::uint32_t cqes,
                            NowNs now_ns);
// CC.SHN = normal, until CSTS.SHST says complete; limit_ms at most.
base::Expected<void> shut_down(Transport& transport, std::uint64_t limit_ms, NowNs now_ns);

}  // namespace fathom::nvme::detail
