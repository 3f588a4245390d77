// The admin commands that the driver sends itself. Each is one function on the admin queue.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "nvme/detail/admin_queue.h"
#include "nvme/identify.h"
#include "nvme/queue_core.h"

namespace fathom::nvme::detail {

base::Expected<void> identify(AdminQueue& admin, Cns cns, std::uint32_t nsid, std::span<std::byte> data);
// Requests `wanted` I/O queue pairs and returns how many the controller granted, `wanted` at most.
base::Expected<std::uint32_t> set_queue_count(AdminQueue& admin, std::uint32_t wanted);
// Selects the reported events: health, and those that OAES offers.
// If the controller refuses, it chooses the events itself.
base::Expected<void> configure_events(AdminQueue& admin, std::uint32_t oaes);

// Active namespaces in ascending order. Controllers before 1.1 have no list.
// For them, this function queries the first kNamespacesAsked ids, and those with a nonzero size are active.
base::Expected<std::vector<std::uint32_t>> active_namespaces(AdminQueue& admin, std::uint32_t nn, bool has_list);
inline constexpr std::uint32_t kNamespacesAsked = 1024;
inline constexpr std::size_t kNamespacesMax = 65536;  // in a list

base::Expected<void> create_queue_pair(AdminQueue& admin, const QueueCore& queue, bool medium_priority);
// False: the controller no longer answers.
bool delete_queue_pair(AdminQueue& admin, std::uint16_t qid);

// Reads a log page in pieces if the controller accepts an offset (LPA bit 2), otherwise in one command.
struct LogAccess {
  std::uint32_t version = 0;
  std::uint8_t lpa = 0;
  std::uint32_t transfer_bytes_max = 4096;
};
base::Expected<void> read_log(AdminQueue& admin, const LogAccess& access, std::uint8_t lid, std::uint32_t nsid,
                              std::span<std::byte> data);

}  // namespace fathom::nvme::detail
