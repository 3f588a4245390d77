// The zones of an NVMe namespace, through its character device. Thread rule: any; a descriptor's owner.
#pragma once
#include <vector>

#include "base/error.h"
#include "io/zone.h"

namespace fathom::engine::queue {

// A namespace without the Zoned command set has model none.
base::Expected<io::ZonedDevice> look_at_namespace_zones(int fd, const std::string& path);
// `most` zones from the one at `start` on.
base::Expected<std::vector<io::DeviceZone>> read_namespace_zones(int fd, const std::string& path, std::uint64_t start,
                                                                 std::size_t most);
int reset_namespace_zone(int fd, std::uint64_t start);
int finish_namespace_zone(int fd, std::uint64_t start);

}  // namespace fathom::engine::queue
