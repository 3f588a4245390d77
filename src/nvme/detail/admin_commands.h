// The admin commands that the driver itself sends, each as one function over the admin queue.
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
// I/O queue pairs granted, of `wanted`.
base::Expected<std::uint32_t> set_queue_count(AdminQueue& admin, std::uint32_t wanted);
// Which events are reported: health, and those that OAES offers. A controller that refuses reports what it likes.
base::Expected<void> configure_events(AdminQueue& admin, std::uint32_t oaes);

// Active namespaces, rising. Controllers before 1.1 have no list: those of the first kNamespacesAsked whose size is not
// 0.
base::Expected<std::vector<std::uint32_t>> active_namespaces(AdminQueue& admin, std::uint32_t nn, bool has_list);
inline constexpr std::uint32_t kNamespacesAsked = 1024;
inline constexpr std::size_t kNamespacesMax = 65536;  // of a list

base::Expected<void> create_queue_pair(AdminQueue& admin, const QueueCore& queue, bool medium_priority);
// False: the controller does not answer any more.
bool delete_queue_pair(AdminQueue& admin, std::uint16_t qid);

// A log page in pieces where the controller takes an offset (LPA bit 2), or in one command.
struct LogAccess {
  std::uint32_t version = 0;
  std::uint8_t lpa = 0;
  std::uint32_t transfer_bytes_max = 4096;
};
base::Expected<void> read_log(AdminQueue& admin, const LogAccess& access, std::uint8_t lid, std::uint32_t nsid,
                              std::span<std::byte> data);

}  // namespace fathom::nvme::detail
