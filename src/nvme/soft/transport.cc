// Registers, memory and time of the in-process controller.
#include "nvme/soft/transport.h"
#include "nvme/pci/setup.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "nvme/open.h"

namespace fathom::nvme::soft {
namespace {

constexpr std::uint64_t kPage = 4096, kHugePage = 2u << 20, kLowest = 1u << 20;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

struct Mapping {
  std::byte* memory = nullptr;
  bool huge = false;
};

// The memory is aligned to 2 MiB in both cases.
Mapping map_memory(std::size_t bytes) {
  constexpr int kProtection = PROT_READ | PROT_WRITE, kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
  void* huge = ::mmap(nullptr, bytes, kProtection, kPrivate | MAP_HUGETLB, -1, 0);
  if (huge != MAP_FAILED) return {static_cast<std::byte*>(huge), true};
  void* wide = ::mmap(nullptr, bytes + kHugePage, kProtection, kPrivate, -1, 0);
  if (wide == MAP_FAILED) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(wide), aligned = round_up(first, kHugePage);
  if (aligned != first) ::munmap(wide, aligned - first);
  if (const std::size_t behind = first + kHugePage - aligned; behind != 0)
    ::munmap(reinterpret_cast<void*>(aligned + bytes), behind);
  auto* memory = reinterpret_cast<std::byte*>(aligned);
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return {memory, false};
}

}  // namespace

std::uint64_t IovaSpace::take(std::uint64_t bytes) {
  const std::uint64_t alignment = bytes >= kHugePage ? kHugePage : kPage;
  std::uint64_t at = kLowest;
  for (const auto& [start, end] : taken_) {
    if (round_up(at, alignment) + bytes <= start) break;
    at = end;
  }
  at = round_up(at, alignment);
  taken_[at] = at + round_up(bytes, kPage);
  return at;
}

Arena::~Arena() {
  for (const auto& block : blocks_) ::munmap(block->memory, block->bytes);
}

DmaMemory Arena::carve(std::size_t bytes) {
  for (const auto& block : blocks_) {
    std::size_t at = 0;
    for (const auto& [start, end] : block->used) {
      if (at + bytes <= start) break;
      at = end;
    }
    if (at + bytes > block->bytes) continue;
    block->used[at] = at + bytes;
    std::memset(block->memory + at, 0, bytes);
    return {block->memory + at, block->iova + at, bytes};
  }
  return {};
}

base::Expected<Arena::Block*> Arena::add_block(std::size_t bytes) {
  const std::size_t whole = round_up(bytes, kHugePage);
  const Mapping mapping = map_memory(whole);
  if (mapping.memory == nullptr)
    return base::system_error(fmt::format("{} bytes of memory for the device", whole), errno);
  huge_ = huge_ && mapping.huge;
  auto block = std::make_unique<Block>();
  block->memory = mapping.memory;
  block->bytes = whole;
  blocks_.push_back(std::move(block));
  return blocks_.back().get();
}

bool Arena::give_back(const DmaMemory& memory) {
  for (const auto& block : blocks_)
    if (memory.memory >= block->memory && memory.memory < block->memory + block->bytes)
      return block->used.erase(static_cast<std::size_t>(memory.memory - block->memory)) != 0;
  return false;
}

base::Expected<std::unique_ptr<SoftTransport>> SoftTransport::make(const Options& options, Clock clock) {
  auto controller = Controller::make(options, std::move(clock));
  if (!controller) return controller.error();
  return std::unique_ptr<SoftTransport>(new SoftTransport(std::move(*controller)));
}

SoftTransport::SoftTransport(std::unique_ptr<Controller> controller) : controller_(std::move(controller)) {
  const Options& options = controller_->options();
  identity_.vendor = kVendorId;
  identity_.device = kDeviceId;
  identity_.name = options.id == 0 ? "soft" : fmt::format("soft:id={}", options.id);
  identity_.harmless = controller_->harmless();
  if (options.stepped) return;
  host_ = Host::on(options.cpu);
  host_->join(controller_.get());
  if (!host_->fallback().empty()) say(host_->fallback());
}

SoftTransport::~SoftTransport() {
  if (host_ != nullptr) host_->leave(controller_.get());
}

void SoftTransport::say(const std::string& what) {
  if (fallback_.find(what) == std::string::npos) fallback_ += (fallback_.empty() ? "" : "; ") + what;
}

std::uint32_t SoftTransport::read32(std::uint32_t offset) {
  return static_cast<std::uint32_t>(controller_->read_register(offset, 4));
}
std::uint64_t SoftTransport::read64(std::uint32_t offset) { return controller_->read_register(offset, 8); }
void SoftTransport::write32(std::uint32_t offset, std::uint32_t value) {
  controller_->write_register(offset, 4, value);
}
void SoftTransport::write64(std::uint32_t offset, std::uint64_t value) {
  controller_->write_register(offset, 8, value);
}

base::Expected<DmaMemory> SoftTransport::allocate(std::size_t bytes) {
  bytes = round_up(bytes, kPage);
  if (const DmaMemory memory = arena_.carve(bytes); memory.memory != nullptr) return memory;
  auto block = arena_.add_block(bytes);
  if (!block) return block.error();
  (*block)->iova = space_.take((*block)->bytes);
  controller_->map((*block)->iova, {(*block)->memory, (*block)->bytes, -1, 0});
  if (!arena_.huge())
    say("no huge pages of 2 MiB are free, ordinary pages are used: `" +
        pci::huge_pages_command(pci::Sysfs(), bytes, -1) + "` reserves enough");
  return arena_.carve(bytes);
}

void SoftTransport::release(const DmaMemory& memory) { arena_.give_back(memory); }

base::Expected<std::uint64_t> SoftTransport::map(const HostMemory& memory) {
  const std::uint64_t iova = space_.take(memory.bytes);
  if (!mapped_.contains(memory.memory) && controller_->map(iova, memory)) {
    mapped_[memory.memory] = {iova, memory.bytes};
    return iova;
  }
  space_.give_back(iova);
  return base::Error{base::ErrorKind::io,
                     "map memory for the soft controller",
                     "the memory is already mapped, is empty, or too many mappings exist",
                     "call unmap() first",
                     {},
                     0};
}

void SoftTransport::unmap(const HostMemory& memory) {
  const auto found = mapped_.find(memory.memory);
  if (found == mapped_.end()) return;
  controller_->unmap(found->second.first, found->second.second);
  space_.give_back(found->second.first);
  mapped_.erase(found);
}

void SoftTransport::idle() {
  if (host_ != nullptr) return;
  const std::unique_lock hold(stepping_, std::try_to_lock);
  if (hold) controller_->step();
}

base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address) {
  const auto options = parse_options(address.where);
  if (!options) return options.error();
  auto transport = SoftTransport::make(*options);
  if (!transport) return transport.error();
  return std::unique_ptr<Transport>(std::move(*transport));
}

}  // namespace fathom::nvme::soft
