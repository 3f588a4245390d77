// The driver's memory as the controller may see it: I/O virtual addresses to memory of this process. An address that no
// region covers does not exist; the device then ends the command in error instead of touching anything. Sorted, so
// that a look-up is a binary search, with the last hit tried first. Thread rule: none inside; the controller's gate
// keeps changes and look-ups apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom::nvme::soft::memory {

enum class Access : bool { read, write };

class Regions {
 public:
  static constexpr std::size_t kMost = 65536;
  // False: empty, wraps, overlaps another, or too many.
  bool add(std::uint64_t iova, std::byte* memory, std::uint64_t bytes, Access access = Access::write);
  bool remove(std::uint64_t iova, std::uint64_t bytes);  // exactly one that was added
  // Memory behind [iova, iova + bytes), which must lie in one region and be there for this access; nullptr otherwise.
  std::byte* find(std::uint64_t iova, std::uint64_t bytes, Access access) const;

 private:
  struct Region {
    std::uint64_t first, last;  // inclusive, so that the top of the address space needs no 65th bit
    std::byte* memory;
    Access access;  // write: reading too
    bool holds(std::uint64_t iova) const { return iova >= first && iova <= last; }
  };
  std::size_t after(std::uint64_t iova) const;  // index of the first region that starts above iova
  std::vector<Region> regions_;
  mutable std::size_t last_hit_ = 0;
};

}  // namespace fathom::nvme::soft::memory
