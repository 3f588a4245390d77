// Opens an exported controller, and accesses its registers with messages.
#include "nvme/vfio_user/transport.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "nvme/open.h"
#include "nvme/registers.h"
#include "nvme/vfio_user/region.h"

namespace fathom::nvme::vfio_user {
namespace {

constexpr std::uint32_t kRegionInfoBytesMax = 4096;  // the largest reply; SPDK's client offers as much

template <class T>
std::span<std::byte> room_for(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address) {
  return ClientTransport::connect(address);
}

base::Expected<std::unique_ptr<Transport>> ClientTransport::connect(const DeviceAddress& address, int timeout_ms) {
  auto connection = Connection::open(address.where, timeout_ms);
  if (!connection) return connection.error();
  std::unique_ptr<ClientTransport> transport(new ClientTransport(std::move(*connection)));
  transport->identity_.name = address.controller();
  if (auto looked = transport->look_at_device(); !looked) return looked.error();
  return std::unique_ptr<Transport>(std::move(transport));
}

base::Error ClientTransport::malformed(const char* cause) const {
  return {.kind = base::ErrorKind::io,
          .what = identity_.name + ": the server's reply does not follow the vfio-user protocol",
          .cause = cause,
          .help = "",
          .place = {}};
}

base::Expected<void> ClientTransport::look_at_device() {
  const DeviceInfo asked{.argsz = sizeof asked};
  const auto reply = connection_->call(Message::device_get_info, bytes_of(asked));
  if (!reply) return reply.error();
  DeviceInfo info;
  if (reply->payload.size() < sizeof info) return malformed("the reply to GET_INFO is too short");
  std::memcpy(&info, reply->payload.data(), sizeof info);
  if ((info.flags & kDevicePci) == 0 || info.regions <= kConfigRegion)
    return malformed("the device is not a PCI device");
  for (const auto step :
       {&ClientTransport::check_class, &ClientTransport::enable_bus_master, &ClientTransport::map_doorbells})
    if (auto done = (this->*step)(); !done) return done;
  return {};
}

base::Expected<void> ClientTransport::check_class() {
  std::uint32_t ids = 0, revision_and_class = 0;
  if (auto read = read_region(kConfigRegion, kPciVendor, room_for(ids)); !read) return read;
  if (auto read = read_region(kConfigRegion, kPciRevision, room_for(revision_and_class)); !read) return read;
  identity_.vendor = static_cast<std::uint16_t>(ids);
  identity_.device = static_cast<std::uint16_t>(ids >> 16);
  if (revision_and_class >> 8 == kNvmeClass) return {};
  char code[8];
  for (int i = 0; i < 6; ++i) code[i] = "0123456789abcdef"[(revision_and_class >> (28 - 4 * i)) & 0xf];
  return base::Error{.kind = base::ErrorKind::usage,
                     .what = identity_.name + ": not an NVMe device",
                     .cause = "its class code is " + std::string(code, 6) + ", an NVMe controller's is 010802",
                     .help = "name the socket of an NVMe controller: `fathom nvme serve` creates one",
                     .place = {}};
}

base::Expected<void> ClientTransport::enable_bus_master() {
  std::uint16_t command = 0;
  if (auto read = read_region(kConfigRegion, kPciCommand, room_for(command)); !read) return read;
  command |= kPciMemory | kPciBusMaster | kPciIntxDisable;
  return write_region(kConfigRegion, kPciCommand, bytes_of(command));
}

base::Expected<void> ClientTransport::map_doorbells() {
  const RegionInfo asked{.argsz = kRegionInfoBytesMax, .index = kBar0Region};
  const auto reply = connection_->call(Message::device_get_region_info, bytes_of(asked));
  if (!reply) return reply.error();
  const auto region = read_region_info(reply->payload, kBar0Region);
  if (!region) return malformed("the server's description of BAR0 is malformed");
  const auto area = area_with(*region, kDoorbells);
  if (!area || reply->fds.empty())
    return base::Error{
        .kind = base::ErrorKind::usage,
        .what = identity_.name + ": the doorbells cannot be mapped",
        .cause =
            "the server offers no file for BAR0 at 0x1000, and a doorbell by message would cost a system call per I/O",
        .help = "use a server that shares BAR0 (SPDK's nvmf_tgt and `fathom nvme serve` do)",
        .place = {}};
  const auto& part = region->areas[*area];
  const int fd = reply->fds[*area < reply->fds.size() ? *area : 0].get();
  auto mapping = memory::GuardedMapping::make(fd, region->file_offset + part.offset, part.bytes, PROT_READ | PROT_WRITE,
                                              MAP_SHARED);
  if (!mapping) {
    auto error = mapping.error();
    error.what = identity_.name + ": BAR0: " + error.what;
    return error;
  }
  bar_ = std::move(*mapping);
  doorbells_ = reinterpret_cast<volatile std::uint32_t*>(bar_.memory() + (kDoorbells - part.offset));
  doorbell_bytes_ = part.bytes - (kDoorbells - part.offset);
  return {};
}

base::Expected<void> ClientTransport::read_region(std::uint32_t region, std::uint64_t offset, std::span<std::byte> to) {
  const RegionAccess access{.offset = offset, .region = region, .count = static_cast<std::uint32_t>(to.size())};
  const auto reply = connection_->call(Message::region_read, bytes_of(access));
  if (!reply) return reply.error();
  if (reply->payload.size() != sizeof access + to.size() ||
      std::memcmp(reply->payload.data(), &access, sizeof access) != 0)
    return malformed("the reply to REGION_READ does not match the request");
  std::memcpy(to.data(), reply->payload.data() + sizeof access, to.size());
  return {};
}

base::Expected<void> ClientTransport::write_region(std::uint32_t region, std::uint64_t offset,
                                                   std::span<const std::byte> from) {
  const RegionAccess access{.offset = offset, .region = region, .count = static_cast<std::uint32_t>(from.size())};
  std::vector<std::byte> payload(sizeof access + from.size());
  std::memcpy(payload.data(), &access, sizeof access);
  std::memcpy(payload.data() + sizeof access, from.data(), from.size());
  const auto reply = connection_->call(Message::region_write, payload);
  if (!reply) return reply.error();
  return {};
}

template <class T>
T ClientTransport::read_register(std::uint32_t offset) {
  const std::lock_guard lock(mutex_);
  T value = 0;
  return read_region(kBar0Region, offset, room_for(value)) ? value : static_cast<T>(~T{0});
}

template <class T>
void ClientTransport::write_register(std::uint32_t offset, T value) {
  const std::lock_guard lock(mutex_);
  // A write that does not arrive is lost, as on a PCI bus. A later read shows it.
  static_cast<void>(write_region(kBar0Region, offset, bytes_of(value)));
}

std::uint32_t ClientTransport::read32(std::uint32_t offset) { return read_register<std::uint32_t>(offset); }
std::uint64_t ClientTransport::read64(std::uint32_t offset) { return read_register<std::uint64_t>(offset); }
void ClientTransport::write32(std::uint32_t offset, std::uint32_t value) { write_register(offset, value); }
void ClientTransport::write64(std::uint32_t offset, std::uint64_t value) { write_register(offset, value); }

base::Expected<DmaMemory> ClientTransport::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto memory = pool_.allocate(bytes);
  if (fallback_.empty()) fallback_ = pool_.shortcoming();
  return memory;
}

void ClientTransport::release(const DmaMemory& memory) {
  const std::lock_guard lock(mutex_);
  pool_.release(memory);
}

base::Expected<std::uint64_t> ClientTransport::map(const HostMemory& memory) {
  const std::lock_guard lock(mutex_);
  return pool_.map(memory);
}

void ClientTransport::unmap(const HostMemory& memory) {
  const std::lock_guard lock(mutex_);
  pool_.unmap(memory);
}

}  // namespace fathom::nvme::vfio_user
