// Regions and interrupts by their indices (linux/vfio.h). The PCI command register is at offset 4 of the configuration
// space (PCI Local Bus Specification 3.0, section 6.2.2).
#include "nvme/vfio/device.h"

#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "nvme/registers.h"
#include "nvme/vfio/region.h"

namespace fathom::nvme::vfio {
namespace {

constexpr std::uint16_t kMemorySpace = 1u << 1, kBusMaster = 1u << 2, kInterruptDisable = 1u << 10;
constexpr std::uint64_t kCommandRegister = 4;

base::Error bad_bar(const std::string& address, std::string cause) {
  return {.kind = base::ErrorKind::io,
          .what = address + ": its registers cannot be accessed",
          .cause = std::move(cause),
          .help = "check lspci -vv -s " + address + "; a reset or another slot may help",
          .place = {}};
}

std::vector<std::byte> region_info(int fd, std::uint32_t index) {
  vfio_region_info head{};
  head.argsz = sizeof head;
  head.index = index;
  if (::ioctl(fd, VFIO_DEVICE_GET_REGION_INFO, &head) != 0) return {};
  std::vector<std::byte> answer(std::max<std::size_t>(head.argsz, sizeof head));
  head.argsz = static_cast<std::uint32_t>(answer.size());
  std::memcpy(answer.data(), &head, sizeof head);
  if (::ioctl(fd, VFIO_DEVICE_GET_REGION_INFO, answer.data()) != 0) return {};
  return answer;
}

}  // namespace

base::Expected<Device> Device::make(base::system::UniqueFd fd, const std::string& address) {
  Device device(std::move(fd));
  if (auto mapped = device.map_doorbells(address); !mapped) return mapped.error();
  if (auto set = device.set_command(kMemorySpace | kBusMaster | kInterruptDisable, 0, address); !set)
    return set.error();
  device.ask_for_notice();
  return device;
}

Device::Device(Device&& other) noexcept
    : fd_(std::move(other.fd_)),
      notice_(std::move(other.notice_)),
      bar_offset_(other.bar_offset_),
      doorbells_(std::exchange(other.doorbells_, nullptr)),
      doorbell_bytes_(other.doorbell_bytes_),
      gone_(other.gone_.load()) {}

Device::~Device() {
  if (doorbells_ != nullptr) ::munmap(const_cast<std::uint32_t*>(doorbells_), doorbell_bytes_);
  if (fd_) static_cast<void>(set_command(0, kBusMaster, "").ok());
}

base::Expected<void> Device::map_doorbells(const std::string& address) {
  const Region bar = parse_region(region_info(fd_.get(), VFIO_PCI_BAR0_REGION_INDEX));
  const std::uint64_t end = bar.mapped_end(kDoorbells);
  if (end <= kDoorbells)
    return bad_bar(address, "BAR0 has " + std::to_string(bar.bytes) + " bytes, and its doorbells cannot be mapped");
  const std::size_t bytes = end - kDoorbells;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(),
                              static_cast<off_t>(bar.fd_offset + kDoorbells));
  if (memory == MAP_FAILED) return bad_bar(address, std::string("mapping the doorbells: ") + std::strerror(errno));
  ::madvise(memory, bytes, MADV_DONTFORK);
  bar_offset_ = bar.fd_offset;
  doorbells_ = static_cast<volatile std::uint32_t*>(memory);
  doorbell_bytes_ = bytes;
  return {};
}

base::Expected<void> Device::set_command(std::uint16_t on, std::uint16_t off, const std::string& address) const {
  const Region config = parse_region(region_info(fd_.get(), VFIO_PCI_CONFIG_REGION_INDEX));
  const auto at = static_cast<off_t>(config.fd_offset + kCommandRegister);
  std::uint16_t command = 0;
  if (::pread(fd_.get(), &command, sizeof command, at) != sizeof command)
    return bad_bar(address, std::string("reading its configuration space: ") + std::strerror(errno));
  command = static_cast<std::uint16_t>((command | on) & ~off);
  if (::pwrite(fd_.get(), &command, sizeof command, at) != sizeof command)
    return bad_bar(address, std::string("enabling bus mastering: ") + std::strerror(errno));
  return {};
}

void Device::ask_for_notice() {
  base::system::UniqueFd event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  alignas(vfio_irq_set) std::byte request[sizeof(vfio_irq_set) + sizeof(std::int32_t)] = {};
  auto* const head = reinterpret_cast<vfio_irq_set*>(request);
  head->argsz = sizeof request;
  head->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
  head->index = VFIO_PCI_REQ_IRQ_INDEX;
  head->count = 1;
  const std::int32_t fd = event.get();
  std::memcpy(request + sizeof(vfio_irq_set), &fd, sizeof fd);
  if (event && ::ioctl(fd_.get(), VFIO_DEVICE_SET_IRQS, head) == 0) notice_ = std::move(event);
}

template <class T>
T Device::read(std::uint32_t offset) const {
  T value{};
  const ssize_t got = ::pread(fd_.get(), &value, sizeof value, static_cast<off_t>(bar_offset_ + offset));
  return got == static_cast<ssize_t>(sizeof value) ? value : static_cast<T>(~T{0});
}

template <class T>
void Device::write(std::uint32_t offset, T value) const {
  static_cast<void>(::pwrite(fd_.get(), &value, sizeof value, static_cast<off_t>(bar_offset_ + offset)) >= 0);
}

template std::uint32_t Device::read(std::uint32_t) const;
template std::uint64_t Device::read(std::uint32_t) const;
template void Device::write(std::uint32_t, std::uint32_t) const;
template void Device::write(std::uint32_t, std::uint64_t) const;

bool Device::gone() const {
  if (gone_.load(std::memory_order_relaxed)) return true;
  std::uint64_t count = 0;
  if (!notice_ || ::read(notice_.get(), &count, sizeof count) != sizeof count) return false;
  gone_.store(true, std::memory_order_relaxed);
  return true;
}

}  // namespace fathom::nvme::vfio
