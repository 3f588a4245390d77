// Each chunk has an allocator for its IOVAs. A part that is free in IOVAs is also free in memory.
#include "nvme/vfio/arena.h"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>

namespace fathom::nvme::vfio {
namespace {

constexpr std::uint64_t kPartBytes = 4096;

}  // namespace

Arena::~Arena() {
  while (!chunks_.empty()) drop(chunks_.begin());
}

base::Expected<DmaMemory> Arena::allocate(std::size_t bytes) {
  const auto from = [&](Chunk& chunk) -> std::optional<DmaMemory> {
    const std::optional<std::uint64_t> iova = chunk.parts.allocate(bytes, kPartBytes);
    if (!iova) return std::nullopt;
    std::byte* const memory = chunk.pages.memory + (*iova - chunk.iova);
    std::memset(memory, 0, bytes);
    return DmaMemory{.memory = memory, .iova = *iova, .bytes = bytes};
  };
  for (Chunk& chunk : chunks_)
    if (const std::optional<DmaMemory> part = from(chunk)) return *part;
  const base::Expected<void> added = add_chunk(bytes);
  if (!added) return added.error();
  if (const std::optional<DmaMemory> part = from(chunks_.back())) return *part;
  return base::system_error("memory for the device: " + std::to_string(bytes) + " bytes", EINVAL);
}

void Arena::release(const DmaMemory& memory) {
  for (auto chunk = chunks_.begin(); chunk != chunks_.end(); ++chunk) {
    if (memory.iova < chunk->iova || memory.iova - chunk->iova >= chunk->pages.bytes) continue;
    chunk->parts.release(memory.iova, memory.bytes);
    if (chunk->parts.all_free()) drop(chunk);
    return;
  }
}

base::Expected<void> Arena::add_chunk(std::size_t bytes) {
  base::Expected<Pages> pages = take_pages(bytes, node_);
  if (!pages) return pages.error();
  const base::Expected<std::uint64_t> iova = map_.map(pages->memory, pages->bytes);
  if (!iova) {
    give_back(*pages);
    return iova.error();
  }
  if (shortcoming_.empty()) shortcoming_ = pages->shortcoming;
  const IovaRange whole{*iova, *iova + pages->bytes - 1};
  chunks_.push_back({std::move(pages).value(), *iova, IovaAllocator({&whole, 1}, kPartBytes)});
  return {};
}

void Arena::drop(std::list<Chunk>::iterator chunk) {
  map_.unmap(chunk->iova, chunk->pages.bytes);
  give_back(chunk->pages);
  chunks_.erase(chunk);
}

}  // namespace fathom::nvme::vfio
