// Chooses the addresses that a device uses for memory (IOVAs). They differ from the process's virtual addresses: an
// IOMMU of 39 bits cannot reach those, and x86 reserves 0xfee00000-0xfeefffff for interrupts.
// The ranges that VFIO reports account for both, so every address in them is valid.
// The lowest address is used first, so that tables stay small. Page 0 is never used, since a PRP entry of 0 means no
// entry (NVM Express Base Specification 2.0c, section 4.1.1).
//
// The same class allocates parts of a mapped chunk (arena.h). Pure; not thread-safe.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace fathom::nvme::vfio {

struct IovaRange {
  std::uint64_t first = 0, last = 0;  // both inclusive, as VFIO reports them
  friend bool operator==(const IovaRange&, const IovaRange&) = default;
};

class IovaAllocator {
 public:
  // Trims the ranges to whole pages. page_bytes is a power of two.
  IovaAllocator(std::span<const IovaRange> ranges, std::uint64_t page_bytes);

  // The lowest free address that is a multiple of alignment (a power of two; a page at least). bytes is rounded up to
  // pages. Empty: no room.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, std::uint64_t alignment);
  // Takes an address from allocate() and the same bytes.
  void release(std::uint64_t iova, std::uint64_t bytes);
  // Everything is free, as at the start.
  bool all_free() const { return used_bytes_ == 0; }

 private:
  std::uint64_t page_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::map<std::uint64_t, std::uint64_t> free_;  // first -> last; entries are never adjacent
};

}  // namespace fathom::nvme::vfio
