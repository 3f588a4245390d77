// Chunks of shared memory, and the two messages that announce them to the server. The first page of a chunk is never
// used, because of SPDK's target. When a region is removed, this target drops a queue that begins exactly at the
// region's end. It compares addresses in its own address space, and maps each region directly below the previous one.
// Therefore no queue here begins at the start of a chunk.
#include "nvme/vfio_user/memory/dma_pool.h"
#include "nvme/pci/setup.h"

#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace fathom::nvme::vfio_user::memory {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGuard_bytes = kPage;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr vfio::IovaRange kIovas{kHugePage, (std::uint64_t{1} << 39) - 1};

struct SharedPages {
  base::system::UniqueFd file;
  std::byte* memory = nullptr;
};

base::Expected<SharedPages> shared_pages(std::size_t bytes, unsigned flags) {
  base::system::UniqueFd file(::memfd_create("fathom-nvme", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return base::system_error("memfd", errno);
  // If a server could shrink it, SIGBUS would end this process.
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return base::system_error("memfd: seal", errno);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED) return base::system_error("memfd: mmap", errno);
  return SharedPages{.file = std::move(file), .memory = static_cast<std::byte*>(memory)};
}

}  // namespace

DmaPool::DmaPool(Connection& connection) : connection_(connection), iovas_({&kIovas, 1}, kPage) {}

// Sends no messages: the connection ends here, and the server's access to the shared memory with it.
DmaPool::~DmaPool() {
  for (const auto& chunk : chunks_) ::munmap(chunk.memory, chunk.bytes);
}

base::Expected<DmaMemory> DmaPool::allocate(std::size_t bytes) {
  const auto from = [&](Chunk& chunk) -> std::optional<DmaMemory> {
    const auto iova = chunk.parts.allocate(bytes, kPage);
    if (!iova) return std::nullopt;
    std::byte* const memory = chunk.memory + (*iova - chunk.iova);
    std::memset(memory, 0, bytes);
    return DmaMemory{.memory = memory, .iova = *iova, .bytes = bytes};
  };
  for (auto& chunk : chunks_)
    if (const auto part = from(chunk)) return *part;
  if (auto added = add_chunk(bytes); !added) return added.error();
  if (const auto part = from(chunks_.back())) return *part;
  return base::system_error("memory for the device: " + std::to_string(bytes) + " bytes", EINVAL);
}

void DmaPool::release(const DmaMemory& memory) {
  for (auto chunk = chunks_.begin(); chunk != chunks_.end(); ++chunk) {
    if (memory.iova < chunk->iova || memory.iova - chunk->iova >= chunk->bytes) continue;
    chunk->parts.release(memory.iova, memory.bytes);
    if (chunk->parts.all_free()) drop(chunk);
    return;
  }
}

base::Expected<void> DmaPool::add_chunk(std::size_t bytes) {
  if (bytes == 0 || bytes > kIovas.last - kGuard_bytes) return base::system_error("memory for the device", EINVAL);
  const std::size_t rounded = (bytes + kGuard_bytes + kHugePage - 1) / kHugePage * kHugePage;
  auto pages = shared_pages(rounded, MFD_HUGETLB | MFD_HUGE_2MB);
  if (!pages) {
    if (shortcoming_.empty())
      shortcoming_ = "no huge pages are free, ordinary pages are used: `" +
                     pci::huge_pages_command(pci::Sysfs(), rounded, -1) + "` reserves enough";
    pages = shared_pages(rounded, 0);
    if (!pages) return pages.error();
  }
  const auto iova = share(pages->file.get(), 0, rounded);
  if (!iova) {
    ::munmap(pages->memory, rounded);
    return iova.error();
  }
  const vfio::IovaRange parts{*iova + kGuard_bytes, *iova + rounded - 1};
  chunks_.push_back({.file = std::move(pages->file),
                     .memory = pages->memory,
                     .bytes = rounded,
                     .iova = *iova,
                     .parts = vfio::IovaAllocator({&parts, 1}, kPage)});
  return {};
}

void DmaPool::drop(std::list<Chunk>::iterator chunk) {
  unshare(chunk->iova, chunk->bytes);
  ::munmap(chunk->memory, chunk->bytes);
  chunks_.erase(chunk);
}

base::Expected<std::uint64_t> DmaPool::share(int fd, std::uint64_t offset, std::uint64_t bytes) {
  const auto iova = iovas_.allocate(bytes, bytes % kHugePage == 0 ? kHugePage : kPage);
  if (!iova) return base::system_error("memory for the device: no I/O virtual address is free", ENOSPC);
  const DmaMap region{
      .argsz = sizeof region, .flags = kDmaRead | kDmaWrite, .offset = offset, .address = *iova, .bytes = bytes};
  auto reply = connection_.call(Message::dma_map, bytes_of(region), {&fd, 1});
  if (reply) return *iova;
  iovas_.release(*iova, bytes);
  auto error = reply.error();
  if (error.kind == base::ErrorKind::refused) error.cause = "the server does not accept shared memory (DMA_MAP)";
  return error;
}

// If the server refuses, it still knows the address, so the address is not used again.
void DmaPool::unshare(std::uint64_t iova, std::uint64_t bytes) {
  const DmaUnmap region{.argsz = sizeof region, .address = iova, .bytes = bytes};
  if (connection_.call(Message::dma_unmap, bytes_of(region))) iovas_.release(iova, bytes);
}

base::Expected<std::uint64_t> DmaPool::map(const HostMemory& memory) {
  const auto refuse = [&](const char* cause, const char* help) {
    return base::Error{.kind = base::ErrorKind::usage,
                       .what = "memory cannot be shared with " + connection_.path(),
                       .cause = cause,
                       .help = help,
                       .place = {}};
  };
  if (memory.fd < 0)
    return refuse("a vfio-user device is another process: it can access only file-backed memory",
                  "take the memory from a memfd or from hugetlbfs and pass its file descriptor, or let the transport "
                  "allocate it");
  if (memory.bytes == 0 ||
      (reinterpret_cast<std::uintptr_t>(memory.memory) | memory.bytes | memory.fd_offset) % kPage != 0)
    return refuse("the memory does not begin and end at page boundaries",
                  "align address, length and file offset to 4096 bytes");
  if (mapped_.count(memory.memory) != 0) return refuse("the memory is already shared", "unmap the memory first");
  const auto iova = share(memory.fd, memory.fd_offset, memory.bytes);
  if (iova) mapped_[memory.memory] = {.memory = memory.memory, .iova = *iova, .bytes = memory.bytes};
  return iova;
}

void DmaPool::unmap(const HostMemory& memory) {
  const auto found = mapped_.find(memory.memory);
  if (found == mapped_.end()) return;
  unshare(found->second.iova, found->second.bytes);
  mapped_.erase(found);
}

}  // namespace fathom::nvme::vfio_user::memory
