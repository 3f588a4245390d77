// The memory to touch: mapped, advised, bound, filled. With MAP_NORESERVE, a map of any size costs nothing until it is
// touched. Thread rule: one thread makes it before others touch it.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/numa.h"
#include "paging/plan.h"
#include "result/finding.h"

namespace fathom::paging::memory {

class Region {
 public:
  // Errors: usage (advice or node unknown, set above map, file too short, too few huge pages), refused (a file's
  // content would be destroyed), io, privilege. If an optional step is refused (NUMA binding on a kernel without it,
  // THP off), map() adds a finding. It touches no page and costs a few system calls, so a parent may use it to check a
  // plan before it forks.
  static base::Expected<Region> map(const RegionPlan& plan, std::vector<result::Finding>& findings);
  Region(Region&&) noexcept;
  Region& operator=(Region&&) noexcept;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { unmap(); }  // removes a file that map() made

  // Touches and fills every page of the set (of the map, if the plan requests it), and gives the advice for filled
  // pages (cold, pageout, collapse). Call it with Fill::none too. May be slow (swap): calls `stop` every 256 KiB, and
  // true ends it early. filled_bytes, if given, follows the progress; it may be in shared memory. Returns the refused
  // advice.
  std::vector<result::Finding> fill(const RegionPlan& plan, const std::function<bool()>& stop,
                                    std::atomic<std::uint64_t>* filled_bytes = nullptr);
  std::byte* data() const { return data_; }
  std::uint64_t map_bytes() const { return map_bytes_; }
  std::uint64_t page_bytes() const { return page_bytes_; }  // of the mapping: 4 KiB, hugetlb 2 MiB
  void unmap();

 private:
  Region() = default;
  std::byte* reserved_ = nullptr;  // the address range around the map, with an inaccessible gap on either side
  std::uint64_t reserved_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::uint64_t map_bytes_ = 0, set_bytes_ = 0, page_bytes_ = 4096;
};

// The bytes of one page of a fill. Pure; page number and seed choose them. random: 64 random bits in every word.
// legacy: as pmbench -i, whatever the seed: one byte of four, the others stay as they are. compressible: the last
// `percent` of the page are zeros, the rest random. none: writes nothing.
void fill_page(std::byte* page, std::size_t bytes, Fill fill, double percent, std::uint64_t page_number,
               std::uint64_t seed);

using base::system::memory_nodes, base::system::node_cpus;
// Pages of a range by node (move_pages(2) with no target), from an even sample of at most `most` pages. Node -1: not in
// memory (swapped out, or never touched). Empty: the kernel cannot report it.
std::vector<std::pair<int, std::uint64_t>> pages_by_node(const std::byte* data, std::uint64_t bytes, std::size_t most);
// The result of binding or placing a region: a note with the counts; a warning if under 95 % of the resident pages are
// on the requested nodes. No finding if nothing was requested, or no page is resident. Pure.
std::vector<result::Finding> placement_findings(const RegionPlan& plan,
                                                const std::vector<std::pair<int, std::uint64_t>>& by_node);

}  // namespace fathom::paging::memory
