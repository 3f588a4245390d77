// The vfio transport by itself: the IOMMU's width, registers, memory, and the limits of the kernel.
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <vector>

#include "guest/checks.h"
#include "nvme/open.h"
#include "nvme/pci/controllers.h"
#include "nvme/registers.h"
#include "nvme/vfio/container.h"

namespace fathom::guest {

using nvme::DmaMemory;
using nvme::Transport;

std::unique_ptr<Transport> open_or_say(const std::string& address) {
  auto opened = nvme::vfio::open_transport({.kind = nvme::TransportKind::vfio, .where = address, .nsid = 1});
  if (!opened) result("open", false, text_of(opened.error()));
  return opened ? std::move(opened).value() : nullptr;
}

namespace {

void check_memory(Transport& transport) {
  std::vector<DmaMemory> parts;
  bool aligned = true, zeroed = true, low = true;
  for (const std::size_t bytes : std::array<std::size_t, 5>{4096, 65536, 100, std::size_t{2} << 20, 12288}) {
    const auto part = transport.allocate(bytes);
    if (!part) return static_cast<void>(result("allocate", false, text_of(part.error())));
    aligned &= part->iova % 4096 == 0 && reinterpret_cast<std::uintptr_t>(part->memory) % 4096 == 0;
    for (std::size_t i = 0; i < bytes; ++i) zeroed &= part->memory[i] == std::byte{0};
    low &= part->iova + part->bytes <= (1ull << 32) && part->iova != 0;
    std::memset(part->memory, 0xab, bytes);
    parts.push_back(*part);
  }
  result("allocate", aligned && zeroed, aligned ? "zeroed" : "aligned");
  result("iovas_are_low", low);
  result("huge_pages_used", std::strlen(transport.fallback()) == 0, transport.fallback());
  const std::uint64_t first = parts.front().iova;
  for (const DmaMemory& part : parts) transport.release(part);
  const auto again = transport.allocate(4096);
  result("iova_reused", again.ok() && again->iova == first && again->memory[0] == std::byte{0});
  if (again) transport.release(*again);
  const auto large = transport.allocate(std::size_t{60} << 20);
  result("fallback_without_huge_pages", large.ok() && std::strstr(transport.fallback(), "fathom nvme setup") != nullptr,
         large ? transport.fallback() : text_of(large.error()));
}

void check_mapping(Transport& transport) {
  constexpr std::size_t kBytes = 1 << 20;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const nvme::HostMemory host{.memory = static_cast<std::byte*>(memory), .bytes = kBytes};
  const auto first = transport.map(host);
  result("map", first.ok(), first ? std::to_string(*first) : text_of(first.error()));
  result("map_twice_refused", !transport.map(host).ok());
  transport.unmap(host);
  const auto second = transport.map(host);
  result("iova_free_after_unmap", first.ok() && second.ok() && *second == *first);
  transport.unmap(host);
  const auto crooked = transport.map({.memory = host.memory + 512, .bytes = 4096});
  result("crooked_memory_refused", !crooked.ok());
  ::munmap(memory, kBytes);
}

bool drop_lock_capability() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  data[0].effective &= ~(1u << CAP_IPC_LOCK);
  return ::syscall(SYS_capset, &header, data) == 0;
}

}  // namespace

// Prints the last IOVA that may be used: 39 or 48 bits, as the machine was started.
int check_iommu(const std::string& address) {
  const nvme::pci::Sysfs sysfs;
  const auto controller = nvme::pci::find_controller(sysfs, address);
  if (!controller) return 1;
  const auto container = nvme::vfio::Container::open(sysfs, *controller);
  if (!container) return result("container", false, text_of(container.error())) ? 0 : 1;
  const nvme::vfio::IommuInfo& info = container->info();
  std::printf("iova_last %llx\n", static_cast<unsigned long long>(info.ranges.back().last));
  bool hole = true;
  for (const nvme::vfio::IovaRange& range : info.ranges) hole &= range.last < 0xfee00000 || range.first > 0xfeefffff;
  result("interrupt_hole_left_out", hole && info.ranges.size() >= 2, std::to_string(info.ranges.size()) + " ranges");
  result("iommu_page", info.page_bytes == 4096, std::to_string(info.page_bytes));
  result("mappings_left", info.mappings_left > 1000 && info.mappings_left < UINT32_MAX,
         std::to_string(info.mappings_left));
  return 0;
}

int check_transport(const std::string& address) {
  const std::unique_ptr<Transport> transport = open_or_say(address);
  if (!transport) return 1;
  const nvme::Cap cap{transport->read64(nvme::kCap)};
  result("identity", transport->identity().vendor == 0x1b36 && transport->identity().name == address);
  result("cap", cap.queue_entries_max() == 2048 && cap.doorbell_stride_bytes() == 4 && cap.timeout_ms() == 7500,
         std::to_string(cap.raw));
  result("version", transport->read32(nvme::kVs) == 0x00010400, std::to_string(transport->read32(nvme::kVs)));
  transport->write32(nvme::kAqa, 0x001f001f);
  transport->write64(nvme::kAsq, 0x123456000);
  result("register_write", transport->read32(nvme::kAqa) == 0x001f001f && transport->read64(nvme::kAsq) == 0x123456000);
  result("doorbells", transport->doorbells() != nullptr && transport->doorbell_bytes() >= 17 * 8,
         std::to_string(transport->doorbell_bytes()));
  result("there", !transport->gone());
  const auto second = nvme::vfio::open_transport({.kind = nvme::TransportKind::vfio, .where = address, .nsid = 1});
  result("second_open_refused", !second && second.error().kind == base::ErrorKind::refused,
         second ? "opened twice" : text_of(second.error()));
  check_memory(*transport);
  check_mapping(*transport);
  return 0;
}

// As a user without CAP_IPC_LOCK: locking more than RLIMIT_MEMLOCK is refused and explained.
int check_lock_limit(const std::string& address) {
  const std::unique_ptr<Transport> transport = open_or_say(address);
  const rlimit limit{64 << 10, 64 << 10};
  if (!transport || ::setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || !drop_lock_capability()) return 1;
  const auto memory = transport->allocate(std::size_t{60} << 20);
  const std::string text = memory ? "allocated" : text_of(memory.error());
  result("lock_limit",
         !memory && memory.error().kind == base::ErrorKind::privilege &&
             text.find("64 KiB (RLIMIT_MEMLOCK)") != std::string::npos,
         text);
  return 0;
}

// Has the controller open until its standard input ends.
int hold_open(const std::string& address) {
  const std::unique_ptr<Transport> transport = open_or_say(address);
  if (!transport) return 1;
  std::printf("holding\n");
  std::fflush(stdout);
  char byte = 0;
  while (::read(0, &byte, 1) == 1) {
  }
  return 0;
}

}  // namespace fathom::guest
