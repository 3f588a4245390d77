// The driver's memory that the controller may access: a map from I/O virtual addresses to memory of this process.
// For an address outside all regions, the device ends the command in an error and accesses nothing.
// The regions are sorted. A lookup tries the last hit first, then uses binary search.
// Thread rule: no lock inside; the controller's gate separates changes and lookups.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom::nvme::soft::memory {

enum class Access : bool { read, write };

class Regions {
 public:
  static constexpr std::size_t kMost = 65536;
  // False: empty, wraps, overlaps another region, or too many regions.
  bool add(std::uint64_t iova, std::byte* memory, std::uint64_t bytes, Access access = Access::write);
  bool remove(std::uint64_t iova, std::uint64_t bytes);  // must equal a region that was added
  // Memory at [iova, iova + bytes). nullptr: not within one region, or this access is not allowed.
  std::byte* find(std::uint64_t iova, std::uint64_t bytes, Access access) const;

 private:
  struct Region {
    std::uint64_t first, last;  // inclusive, so that the top of the address space fits in 64 bits
    std::byte* memory;
    Access access;  // write: includes reading
    bool holds(std::uint64_t iova) const { return iova >= first && iova <= last; }
  };
  std::size_t after(std::uint64_t iova) const;  // index of the first region that starts above iova
  std::vector<Region> regions_;
  mutable std::size_t last_hit_ = 0;
};

}  // namespace fathom::nvme::soft::memory
