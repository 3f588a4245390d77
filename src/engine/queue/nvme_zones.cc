// Sends the Zoned Namespace commands by the kernel's passthrough ioctls.
#include "engine/queue/nvme_zones.h"

#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/queue/nvme_passthrough.h"
#include "nvme/identify.h"
#include "nvme/status.h"
#include "nvme/zoned.h"

namespace fathom::engine::queue {
namespace {

constexpr std::size_t kZonesPerReport = 255;  // with the header 16 KiB, below the smallest usual MDTS

int errno_of_ioctl(int rc) { return rc < 0 ? errno : rc == 0 ? 0 : errno_of_status(static_cast<std::uint16_t>(rc)); }

std::uint32_t without_limit(std::uint32_t minus_one) { return minus_one == nvme::kNoZoneLimit ? 0 : minus_one + 1; }

io::ZoneCondition condition_of_state(std::uint8_t state) {
  switch (state >> 4) {
    case 1:
      return io::ZoneCondition::empty;
    case 2:
    case 3:
      return io::ZoneCondition::open;
    case 4:
      return io::ZoneCondition::closed;
    case 14:
      return io::ZoneCondition::full;
    default:
      return io::ZoneCondition::offline;
  }
}

bool identify_zones(int fd, std::uint32_t nsid, nvme::IdentifyZonedNamespace& facts) {
  nvme_admin_cmd command{};
  command.opcode = static_cast<std::uint8_t>(nvme::AdminOpcode::identify);
  command.nsid = nsid;
  command.cdw10 = nvme::kIdentifyOfCommandSet;
  command.cdw11 = nvme::kZonedCommandSet;
  command.addr = reinterpret_cast<std::uint64_t>(&facts);
  command.data_len = sizeof facts;
  return ::ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command) == 0;
}

std::uint8_t format_of(int fd, std::uint32_t nsid) {
  nvme::IdentifyNamespace facts{};
  nvme_admin_cmd command{};
  command.opcode = static_cast<std::uint8_t>(nvme::AdminOpcode::identify);
  command.nsid = nsid;
  command.addr = reinterpret_cast<std::uint64_t>(&facts);
  command.data_len = sizeof facts;
  return ::ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command) == 0 ? static_cast<std::uint8_t>(nvme::format_index(facts)) : 0;
}

io::DeviceZone zone_of(const nvme::ZoneDescriptor& from, unsigned shift, std::uint64_t zone_bytes) {
  io::DeviceZone zone;
  zone.start = from.zslba << shift;
  zone.length_bytes = zone_bytes;
  zone.capacity_bytes = from.zcap << shift;
  zone.condition = condition_of_state(from.state);
  zone.sequential = (from.type & 0xf) == 2;
  const bool full = zone.condition == io::ZoneCondition::full, offline = zone.condition == io::ZoneCondition::offline;
  zone.wp = full ? zone.start + zone.capacity_bytes : offline ? zone.start : from.wp << shift;
  return zone;
}

int manage_zone(int fd, std::uint64_t start, std::uint32_t action) {
  auto ns = identify_namespace(fd, "");
  if (!ns) return ns.error().sys_errno != 0 ? ns.error().sys_errno : EIO;
  const std::uint64_t lba = start >> ns->block_shift;
  nvme_passthru_cmd command{};
  command.opcode = static_cast<std::uint8_t>(nvme::ZonedOpcode::zone_management_send);
  command.nsid = ns->nsid;
  command.cdw10 = static_cast<std::uint32_t>(lba);
  command.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  command.cdw13 = action;
  return errno_of_ioctl(::ioctl(fd, NVME_IOCTL_IO_CMD, &command));
}

}  // namespace

base::Expected<io::ZonedDevice> look_at_namespace_zones(int fd, const std::string& path) {
  auto ns = identify_namespace(fd, path);
  if (!ns) return ns.error();
  nvme::IdentifyZonedNamespace facts{};
  if (!identify_zones(fd, ns->nsid, facts)) return io::ZonedDevice{};
  const std::uint64_t zone_bytes = facts.lbafe[format_of(fd, ns->nsid)].zsze << ns->block_shift;
  if (zone_bytes == 0) return io::ZonedDevice{};
  return io::ZonedDevice{io::ZoneModel::host_managed, zone_bytes, without_limit(facts.mor), without_limit(facts.mar)};
}

base::Expected<std::vector<io::DeviceZone>> read_namespace_zones(int fd, const std::string& path, std::uint64_t start,
                                                                 std::size_t most) {
  auto ns = identify_namespace(fd, path);
  if (!ns) return ns.error();
  auto device = look_at_namespace_zones(fd, path);
  if (!device) return device.error();
  std::vector<io::DeviceZone> zones;
  std::vector<std::byte> report(sizeof(nvme::ZoneReportHeader) + kZonesPerReport * sizeof(nvme::ZoneDescriptor));
  for (std::uint64_t at = start; zones.size() < most && at < ns->size_bytes();) {
    const std::uint64_t lba = at >> ns->block_shift;
    nvme_passthru_cmd command{};
    command.opcode = static_cast<std::uint8_t>(nvme::ZonedOpcode::zone_management_receive);
    command.nsid = ns->nsid;
    command.addr = reinterpret_cast<std::uint64_t>(report.data());
    command.data_len = static_cast<std::uint32_t>(report.size());
    command.cdw10 = static_cast<std::uint32_t>(lba);
    command.cdw11 = static_cast<std::uint32_t>(lba >> 32);
    command.cdw12 = static_cast<std::uint32_t>(report.size() / 4 - 1);
    command.cdw13 = nvme::kPartialReport;
    if (const int err = errno_of_ioctl(::ioctl(fd, NVME_IOCTL_IO_CMD, &command)); err != 0)
      return base::system_error("report zones of `" + path + "`", err);
    nvme::ZoneReportHeader header;
    std::memcpy(&header, report.data(), sizeof header);
    const auto count = std::min<std::uint64_t>({header.zones, kZonesPerReport, most - zones.size()});
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i) {
      nvme::ZoneDescriptor zone;
      std::memcpy(&zone, report.data() + sizeof header + i * sizeof zone, sizeof zone);
      zones.push_back(zone_of(zone, ns->block_shift, device->zone_bytes));
    }
    at = zones.back().start + device->zone_bytes;
  }
  return zones;
}

int reset_namespace_zone(int fd, std::uint64_t start) { return manage_zone(fd, start, nvme::kResetZone); }
int finish_namespace_zone(int fd, std::uint64_t start) { return manage_zone(fd, start, nvme::kFinishZone); }

}  // namespace fathom::engine::queue
