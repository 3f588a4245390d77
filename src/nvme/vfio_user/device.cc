// The commands of vfio-user for an emulated controller.
#include "nvme/vfio_user/device.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "nvme/registers.h"

namespace fathom::nvme::vfio_user {
namespace {

template <class T>
T from_bytes(std::span<const std::byte> payload) {
  T value;
  std::memcpy(&value, payload.data(), sizeof value);
  return value;
}

template <class... T>
Reply reply_of(const T&... parts) {
  Reply reply;
  const auto add = [&](std::span<const std::byte> b) { reply.payload.insert(reply.payload.end(), b.begin(), b.end()); };
  (add(bytes_of(parts)), ...);
  return reply;
}

Reply refuse(int error) {
  Reply reply;
  reply.error = error;
  return reply;
}

Reply refuse_and_close(int error) {
  auto reply = refuse(error);
  reply.last = true;
  return reply;
}

struct Region {
  std::uint32_t index, bytes, flags;
};
constexpr Region kRegions[] = {
    {kBar0Region, soft::kBarBytes, kRegionRead | kRegionWrite | kRegionMmap | kRegionCaps},
    {kConfigRegion, kConfigBytes, kRegionRead | kRegionWrite},
};

std::uint32_t region_bytes(std::uint32_t index) {
  for (const auto& r : kRegions)
    if (r.index == index) return r.bytes;
  return 0;
}

bool within(const RegionAccess& access) {
  const std::uint64_t bytes = region_bytes(access.region);
  return bytes != 0 && access.count <= kTransferBytesMax && access.offset <= bytes &&
         access.count <= bytes - access.offset;
}

}  // namespace

struct Device::Row {
  Message command;
  std::size_t payload_bytes_min;
  std::size_t fds_max;
  Reply (Device::*handler)(Bytes payload, int fd);
};

// SPDK's client also sends the region's file descriptor with DMA_UNMAP. No interrupt is ever raised, so the event file
// descriptors are closed unread.
const Device::Row Device::kRows[] = {
    {Message::version, sizeof(Version), 0, &Device::version},
    {Message::dma_map, sizeof(DmaMap), 1, &Device::dma_map},
    {Message::dma_unmap, sizeof(DmaUnmap), 1, &Device::dma_unmap},
    {Message::device_get_info, sizeof(DeviceInfo), 0, &Device::get_info},
    {Message::device_get_region_info, sizeof(RegionInfo), 0, &Device::get_region_info},
    {Message::device_get_irq_info, sizeof(IrqInfo), 0, &Device::get_irq_info},
    {Message::device_set_irqs, sizeof(IrqSet), kFdsMax, &Device::set_irqs},
    {Message::region_read, sizeof(RegionAccess), 0, &Device::region_read},
    {Message::region_write, sizeof(RegionAccess), 0, &Device::region_write},
    {Message::device_reset, 0, 0, &Device::reset},
};

Device::Device(soft::Controller& controller)
    : controller_(controller), config_(soft::kVendorId, soft::kDeviceId), memory_(controller) {}

Reply Device::handle(const Packet& command) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
    return static_cast<std::uint16_t>(r.command) == command.header.command;
  });
  const bool first = command.header.command == static_cast<std::uint16_t>(Message::version);
  if (agreed_ == first) return refuse_and_close(EINVAL);
  if (row == std::end(kRows)) return refuse(ENOTSUP);
  if (command.payload.size() < row->payload_bytes_min || command.fds.size() > row->fds_max) return refuse(EINVAL);
  return (this->*row->handler)(command.payload, command.fds.empty() ? -1 : command.fds.front().get());
}

void Device::forget_client() {
  if (!agreed_) return;  // such a client has changed nothing
  controller_.reset();
  memory_.clear();
  config_ = PciConfig(soft::kVendorId, soft::kDeviceId);
  agreed_ = false;
}

Reply Device::version(Bytes payload, int) {
  const auto theirs = from_bytes<Version>(payload);
  const bool json = payload.size() > sizeof theirs;
  if (theirs.major != kMajor || (json && payload.back() != std::byte{0})) return refuse_and_close(EINVAL);
  agreed_ = true;
  const Version ours{.major = kMajor, .minor = std::min(theirs.minor, kMinor)};
  // Replies with capabilities only to capabilities. This server stays within every limit that a client can state.
  return json ? reply_of(ours, kCapabilities) : reply_of(ours);
}

Reply Device::dma_map(Bytes payload, int fd) { return refuse(memory_.map(from_bytes<DmaMap>(payload), fd)); }

Reply Device::dma_unmap(Bytes payload, int) {
  const auto region = from_bytes<DmaUnmap>(payload);
  const int error = memory_.unmap(region);
  return error != 0 ? refuse(error) : reply_of(region);
}

Reply Device::get_info(Bytes payload, int) {
  if (from_bytes<DeviceInfo>(payload).argsz < sizeof(DeviceInfo)) return refuse(EINVAL);
  return reply_of(DeviceInfo{
      .argsz = sizeof(DeviceInfo), .flags = kDeviceReset | kDevicePci, .regions = kPciRegions, .irqs = kPciIrqs});
}

Reply Device::get_region_info(Bytes payload, int) {
  const auto asked = from_bytes<RegionInfo>(payload);
  if (asked.argsz < sizeof asked || asked.index >= kPciRegions) return refuse(EINVAL);
  RegionInfo info{.argsz = sizeof info, .index = asked.index, .bytes = region_bytes(asked.index)};
  for (const auto& r : kRegions)
    if (r.index == asked.index) info.flags = r.flags;
  if ((info.flags & kRegionCaps) == 0) return reply_of(info);
  const CapHeader cap{.id = kCapSparseMmap, .version = 1};
  const SparseMmap sparse{.areas = 1};
  const SparseArea doorbells{.offset = kDoorbells, .bytes = soft::kDoorbellBytes};
  info.argsz = sizeof info + sizeof cap + sizeof sparse + sizeof doorbells;
  if (asked.argsz < info.argsz) return reply_of(info);  // the client asks again with a larger buffer
  info.cap_offset = sizeof info;
  auto reply = reply_of(info, cap, sparse, doorbells);
  reply.fd = controller_.bar_fd();
  return reply;
}

Reply Device::get_irq_info(Bytes payload, int) {
  const auto asked = from_bytes<IrqInfo>(payload);
  if (asked.argsz < sizeof asked || asked.index >= kPciIrqs) return refuse(EINVAL);
  return reply_of(IrqInfo{.argsz = sizeof asked, .flags = 0, .index = asked.index, .count = 0});
}

// The device has no interrupts, so only count 0, which disables them, can be set.
Reply Device::set_irqs(Bytes payload, int) {
  const auto set = from_bytes<IrqSet>(payload);
  return refuse(set.argsz < sizeof set || set.index >= kPciIrqs || set.start != 0 || set.count != 0 ? EINVAL : 0);
}

Reply Device::region_read(Bytes payload, int) {
  const auto access = from_bytes<RegionAccess>(payload);
  if (!within(access)) return refuse(EINVAL);
  auto reply = reply_of(access);
  reply.payload.resize(sizeof access + access.count);
  const auto data = std::span(reply.payload).subspan(sizeof access);
  const auto offset = static_cast<std::uint32_t>(access.offset);
  if (access.region == kConfigRegion)
    config_.read(offset, data);
  else if (!read_bar(offset, data))
    return refuse(EINVAL);
  return reply;
}

Reply Device::region_write(Bytes payload, int) {
  const auto access = from_bytes<RegionAccess>(payload);
  const auto data = payload.subspan(sizeof access);
  if (!within(access) || data.size() != access.count) return refuse(EINVAL);
  const auto offset = static_cast<std::uint32_t>(access.offset);
  if (access.region == kConfigRegion)
    config_.write(offset, data);
  else if (!write_bar(offset, data))
    return refuse(EINVAL);
  return reply_of(access);
}

Reply Device::reset(Bytes, int) {
  controller_.reset();
  return {};
}

// Registers are read in words of 4 or 8 bytes, and longer ranges word by word. The same applies to the doorbells,
// mapped or not.
bool Device::read_bar(std::uint32_t offset, std::span<std::byte> to) {
  if ((offset | to.size()) % 4 != 0) return false;
  for (std::size_t done = 0; done < to.size();) {
    const auto at = static_cast<std::uint32_t>(offset + done);
    const std::uint32_t bytes = to.size() == 8 && at % 8 == 0 && at < kDoorbells ? 8 : 4;
    const std::uint64_t value =
        at < kDoorbells ? controller_.read_register(at, bytes) : controller_.doorbells()[(at - kDoorbells) / 4];
    std::memcpy(to.data() + done, &value, bytes);
    done += bytes;
  }
  return true;
}

bool Device::write_bar(std::uint32_t offset, Bytes from) {
  if ((from.size() != 4 && from.size() != 8) || offset % from.size() != 0) return false;
  std::uint64_t value = 0;
  std::memcpy(&value, from.data(), from.size());
  if (offset < kDoorbells) {
    controller_.write_register(offset, static_cast<std::uint32_t>(from.size()), value);
    return true;
  }
  for (std::uint32_t i = 0; i < from.size() / 4; ++i)
    controller_.doorbells()[(offset - kDoorbells) / 4 + i] = static_cast<std::uint32_t>(value >> (32 * i));
  return true;
}

}  // namespace fathom::nvme::vfio_user
