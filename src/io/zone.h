// A zone as a zoned device reports it, and the rights of a device. Plain data; any thread.
#pragma once
#include <cstdint>

namespace fathom::io {

// none: not a zoned device. host_aware: writes elsewhere than at the write pointers are allowed.
enum class ZoneModel : std::uint8_t { none, host_aware, host_managed };

// offline: also read-only, because neither accepts a write.
enum class ZoneCondition : std::uint8_t { empty, open, closed, full, without_pointer, offline };

struct DeviceZone {
  std::uint64_t start = 0, length_bytes = 0, capacity_bytes = 0, wp = 0;  // bytes of the device
  ZoneCondition condition = ZoneCondition::empty;
  bool sequential = false;  // writes must be at the write pointer
};

// Flags of a request (io/request.h) with Dir::trim, for a job with zonemode=zbd: the zone is reset, or it has no data and
// nothing is done.
inline constexpr std::uint8_t kResetZone = 1, kUnwrittenZone = 2, kZoneTrimMask = 3;

struct ZonedDevice {
  ZoneModel model = ZoneModel::none;
  std::uint64_t zone_bytes = 0;
  std::uint32_t max_open = 0, max_active = 0;  // 0: no limit
};

}  // namespace fathom::io
