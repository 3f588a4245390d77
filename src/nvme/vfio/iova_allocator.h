// Which addresses a device shall use for memory (IOVAs). They are our own choice and not the process's virtual ones: an
// IOMMU of 39 bits cannot reach those, and x86 keeps 0xfee00000-0xfeefffff for interrupts. Both stand in the ranges
// that VFIO reports, so whatever lies in them is right. Lowest first, so that tables stay small; page 0 is never given,
// because a PRP entry of 0 means that there is none (NVM Express Base Specification 2.0c, section 4.1.1).
//
// The same bookkeeping hands out parts of a mapped chunk (arena.h). Pure; not thread-safe.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace fathom::nvme::vfio {

struct IovaRange {
  std::uint64_t first = 0, last = 0;  // both belong to it, as VFIO writes them
  friend bool operator==(const IovaRange&, const IovaRange&) = default;
};

class IovaAllocator {
 public:
  // Ranges are cut to whole pages; page_bytes is a power of two.
  IovaAllocator(std::span<const IovaRange> ranges, std::uint64_t page_bytes);

  // The lowest free address, a multiple of alignment (a power of two; never less than a page). bytes is rounded up to
  // pages. Nothing: no room.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment);
  // What allocate() gave, with the same bytes.
  void release(std::uint64_t iova, std::uint64_t bytes);
  // Everything is free: what was there at the beginning.
  bool all_free() const { return used_bytes_ == 0; }

 private:
  std::uint64_t page_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::map<std::uint64_t, std::uint64_t> free_;  // first -> last, never touching each other
};

}  // namespace fathom::nvme::vfio
