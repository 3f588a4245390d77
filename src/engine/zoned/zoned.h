// The zones of a device: by the kernel's ioctls for a block device, by NVMe's Zone Management commands for the character
// device of a namespace. Every other target has no zones.
// Source: linux/blkzoned.h; NVMe Zoned Namespace Command Set Specification 1.1, sections 3.4 and 4.1.
// Thread rule: any; a descriptor's owner.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "io/request.h"
#include "io/target.h"
#include "io/zone.h"

namespace fathom::engine::zoned {

// The device's model and limits. Errors: it cannot be opened. A missing file has no zones.
base::Expected<io::ZonedDevice> look_at(const std::string& path, io::TargetKind kind);

// All its zones, in order. Errors: the device refuses the report.
base::Expected<std::vector<io::DeviceZone>> read_zones(const std::string& path, io::TargetKind kind);
// The zone that begins at `start`, by an open descriptor.
base::Expected<io::DeviceZone> read_zone(const io::Target& target, std::uint64_t start);

// 0 or errno. The descriptor is open for writing.
int reset_zone(const io::Target& target, std::uint64_t start, std::uint64_t length_bytes);
int finish_zone(const io::Target& target, std::uint64_t start, std::uint64_t length_bytes);
// Writes zeroes at the write pointer, and so moves it.
int fill_with_zeroes(const io::Target& target, std::uint64_t wp, std::uint64_t length_bytes);

// A trim with io::kResetZone or io::kUnwrittenZone: bytes, or -errno.
std::int32_t trim_zone(const io::Target& target, const io::Request& request);

}  // namespace fathom::engine::zoned
