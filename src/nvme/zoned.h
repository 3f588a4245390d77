// Commands and structures of the Zoned Namespace Command Set.
// Source: NVM Express Zoned Namespace Command Set Specification 1.1: figures 22-28 (Zone Management Send), 29-37 (Zone
// Management Receive), 48-50 (Identify). Names are from it.
// Thread rule: plain data and constants; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fathom::nvme {

enum class ZonedOpcode : std::uint8_t {
  zone_management_send = 0x79,
  zone_management_receive = 0x7a,
  zone_append = 0x7d,
};

// CDW13 of zone_management_send, ZSA.
inline constexpr std::uint32_t kFinishZone = 2, kResetZone = 4;
inline constexpr std::uint32_t kPartialReport = 1u << 16;  // CDW13 of zone_management_receive
// CNS and CSI of Identify for a zoned namespace: CDW10 and the upper byte of CDW11.
inline constexpr std::uint32_t kIdentifyOfCommandSet = 5, kZonedCommandSet = 2u << 24;
inline constexpr std::uint32_t kNoZoneLimit = ~0u;

struct IdentifyZonedNamespace {
  struct LbaFormatExtension {
    std::uint64_t zsze;  // blocks of a zone
    std::uint8_t zdes, reserved[7];
  };
  std::uint16_t zoc, ozcs;
  std::uint32_t mar, mor;  // active and open zones, minus 1
  std::uint8_t reserved[2804];
  LbaFormatExtension lbafe[64];
  std::uint8_t vendor[256];
};
static_assert(sizeof(IdentifyZonedNamespace) == 4096 && offsetof(IdentifyZonedNamespace, lbafe) == 2816);

struct ZoneDescriptor {
  std::uint8_t type;   // ZT, 3:0; 2: sequential write required
  std::uint8_t state;  // ZS, 7:4
  std::uint8_t attributes, information, reserved[4];
  std::uint64_t zcap, zslba, wp;  // blocks
  std::uint8_t reserved2[32];
};
static_assert(sizeof(ZoneDescriptor) == 64);

struct ZoneReportHeader {
  std::uint64_t zones;
  std::uint8_t reserved[56];
};
static_assert(sizeof(ZoneReportHeader) == 64);

}  // namespace fathom::nvme
