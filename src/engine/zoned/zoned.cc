// The kernel's ioctls for zones, and the choice between them and NVMe commands.
#include "engine/zoned/zoned.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/blkzoned.h>
#include <linux/falloc.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>

#include "base/system/fd.h"
#include "engine/queue/nvme_zones.h"

namespace fathom::engine::zoned {
namespace {

constexpr unsigned kSectorShift = 9;
constexpr std::uint32_t kZonesPerReport_block = 1024;

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// An attribute of the disk's queue. A partition has the attributes of its disk.
std::string queue_attribute(dev_t device, const char* name) {
  const std::string own = fmt::format("/sys/dev/block/{}:{}", major(device), minor(device));
  const std::string disk = first_line(own + "/partition").empty() ? own : own + "/..";
  return first_line(disk + "/queue/" + name);
}

std::uint32_t queue_number(dev_t device, const char* name) {
  return static_cast<std::uint32_t>(std::strtoul(queue_attribute(device, name).c_str(), nullptr, 10));
}

io::ZonedDevice look_at_block(int fd, dev_t device) {
  const std::string model = queue_attribute(device, "zoned");
  io::ZonedDevice found;
  if (model == "host-aware") found.model = io::ZoneModel::host_aware;
  if (model == "host-managed") found.model = io::ZoneModel::host_managed;
  std::uint32_t sectors = 0;
  if (found.model == io::ZoneModel::none || ::ioctl(fd, BLKGETZONESZ, &sectors) != 0 || sectors == 0) return {};
  found.zone_bytes = std::uint64_t{sectors} << kSectorShift;
  found.max_open = queue_number(device, "max_open_zones");
  found.max_active = queue_number(device, "max_active_zones");
  return found;
}

io::ZoneCondition condition_of(std::uint8_t cond) {
  switch (cond) {
    case BLK_ZONE_COND_NOT_WP:
      return io::ZoneCondition::without_pointer;
    case BLK_ZONE_COND_EMPTY:
      return io::ZoneCondition::empty;
    case BLK_ZONE_COND_IMP_OPEN:
    case BLK_ZONE_COND_EXP_OPEN:
      return io::ZoneCondition::open;
    case BLK_ZONE_COND_CLOSED:
      return io::ZoneCondition::closed;
    case BLK_ZONE_COND_FULL:
      return io::ZoneCondition::full;
    default:
      return io::ZoneCondition::offline;
  }
}

io::DeviceZone zone_of_block(const blk_zone& from, bool has_capacity) {
  io::DeviceZone zone;
  zone.start = from.start << kSectorShift;
  zone.length_bytes = from.len << kSectorShift;
  zone.capacity_bytes = (has_capacity ? from.capacity : from.len) << kSectorShift;
  zone.condition = condition_of(from.cond);
  zone.sequential = from.type == BLK_ZONE_TYPE_SEQWRITE_REQ;
  zone.wp = from.wp << kSectorShift;
  if (zone.condition == io::ZoneCondition::offline) zone.wp = zone.start;
  if (zone.condition == io::ZoneCondition::full || zone.condition == io::ZoneCondition::without_pointer)
    zone.wp = zone.start + zone.capacity_bytes;
  return zone;
}

base::Expected<std::vector<io::DeviceZone>> report_of_block(int fd, const std::string& path, std::uint64_t start,
                                                            std::size_t most) {
  std::vector<io::DeviceZone> zones;
  std::vector<char> memory(sizeof(blk_zone_report) + kZonesPerReport_block * sizeof(blk_zone));
  for (std::uint64_t at = start; zones.size() < most;) {
    auto* const report = reinterpret_cast<blk_zone_report*>(memory.data());
    *report = {};
    report->sector = at >> kSectorShift;
    report->nr_zones = static_cast<std::uint32_t>(std::min<std::size_t>(kZonesPerReport_block, most - zones.size()));
    if (::ioctl(fd, BLKREPORTZONE, report) != 0) return base::system_error("report zones of `" + path + "`", errno);
    if (report->nr_zones == 0) break;
    for (std::uint32_t i = 0; i < report->nr_zones; ++i)
      zones.push_back(zone_of_block(report->zones[i], (report->flags & BLK_ZONE_REP_CAPACITY) != 0));
    at = zones.back().start + zones.back().length_bytes;
  }
  return zones;
}

int change_zone(int fd, unsigned long call, std::uint64_t start, std::uint64_t length_bytes) {
  blk_zone_range range{start >> kSectorShift, length_bytes >> kSectorShift};
  return ::ioctl(fd, call, &range) == 0 ? 0 : errno;
}

}  // namespace

base::Expected<io::ZonedDevice> look_at(const std::string& path, io::TargetKind kind) {
  if (kind != io::TargetKind::block && kind != io::TargetKind::character) return io::ZonedDevice{};
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0) return base::system_error("open `" + path + "`", errno);
  if (kind == io::TargetKind::block) return look_at_block(fd.get(), st.st_rdev);
  return queue::look_at_namespace_zones(fd.get(), path);
}

base::Expected<std::vector<io::DeviceZone>> read_zones(const std::string& path, io::TargetKind kind) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return base::system_error("open `" + path + "`", errno);
  constexpr std::size_t kAll = ~std::size_t{0};
  return kind == io::TargetKind::block ? report_of_block(fd.get(), path, 0, kAll)
                                       : queue::read_namespace_zones(fd.get(), path, 0, kAll);
}

base::Expected<io::DeviceZone> read_zone(const io::Target& target, std::uint64_t start) {
  auto zones = target.kind == io::TargetKind::block ? report_of_block(target.fd, target.path, start, 1)
                                                    : queue::read_namespace_zones(target.fd, target.path, start, 1);
  if (!zones) return zones.error();
  if (zones->empty()) return base::system_error("report zones of `" + target.path + "`", EIO);
  return zones->front();
}

int reset_zone(const io::Target& target, std::uint64_t start, std::uint64_t length_bytes) {
  if (target.kind == io::TargetKind::block) return change_zone(target.fd, BLKRESETZONE, start, length_bytes);
  return queue::reset_namespace_zone(target.fd, start);
}

// A kernel before 5.5 does not know the call; its devices close zones on their own.
int finish_zone(const io::Target& target, std::uint64_t start, std::uint64_t length_bytes) {
  if (target.kind != io::TargetKind::block) return queue::finish_namespace_zone(target.fd, start);
  const int err = change_zone(target.fd, BLKFINISHZONE, start, length_bytes);
  return err == ENOTTY ? 0 : err;
}

int fill_with_zeroes(const io::Target& target, std::uint64_t wp, std::uint64_t length_bytes) {
  if (target.kind != io::TargetKind::block) return EOPNOTSUPP;
  const auto offset = static_cast<off_t>(wp), length = static_cast<off_t>(length_bytes);
  return ::fallocate(target.fd, FALLOC_FL_ZERO_RANGE, offset, length) == 0 ? 0 : errno;
}

std::int32_t trim_zone(const io::Target& target, const io::Request& request) {
  if ((request.flags & io::kUnwrittenZone) == 0)
    if (const int err = reset_zone(target, request.offset, request.length); err != 0) return -err;
  return static_cast<std::int32_t>(request.length);
}

}  // namespace fathom::engine::zoned
