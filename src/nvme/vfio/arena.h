// Memory for rings, PRP lists and buffers, allocated from chunks that are mapped for the device once.
// One huge page and one mapping per ring would waste both; a chunk of 2 MiB holds many rings. Empty chunks are
// released.
//
// Not thread-safe (the transport's rule: one at a time).
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>

#include "base/error.h"
#include "nvme/transport.h"
#include "nvme/vfio/iova_allocator.h"
#include "nvme/vfio/pages.h"

namespace fathom::nvme::vfio {

// Makes memory visible to a device.
class DmaMap {
 public:
  virtual ~DmaMap() = default;
  virtual base::Expected<std::uint64_t> map(std::byte* memory, std::size_t bytes) = 0;  // the IOVA
  virtual void unmap(std::uint64_t iova, std::size_t bytes) = 0;
};

class Arena {
 public:
  Arena(DmaMap& map, int node) : map_(map), node_(node) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Whole pages, zeroed, contiguous for the device too.
  base::Expected<DmaMemory> allocate(std::size_t bytes);
  void release(const DmaMemory& memory);
  const std::string& shortcoming() const { return shortcoming_; }  // the first of any chunk
  std::size_t chunks() const { return chunks_.size(); }

 private:
  struct Chunk {
    Pages pages;
    std::uint64_t iova;
    IovaAllocator parts;
  };
  base::Expected<void> add_chunk(std::size_t bytes);
  void drop(std::list<Chunk>::iterator chunk);

  DmaMap& map_;
  int node_;
  std::list<Chunk> chunks_;
  std::string shortcoming_;
};

}  // namespace fathom::nvme::vfio
