// The memory that is touched: mapped, advised, bound, filled. MAP_NORESERVE: a map of any size costs nothing until it
// is touched. Thread rule: made by one thread before others touch it.
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
  // Errors: usage (advice or node unknown, set above map, file too short, too few huge pages), refused (a file whose
  // content would be destroyed), io, privilege. What was refused but can be done without (NUMA binding on a kernel
  // without it, THP off) leaves a finding. Touches no page: what map() says of a plan costs a few system calls, so that
  // a parent may ask it before it forks.
  static base::Expected<Region> map(const RegionPlan& plan, std::vector<result::Finding>& findings);
  Region(Region&&) noexcept;
  Region& operator=(Region&&) noexcept;
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { unmap(); }  // a file that map() made goes with it

  // Touches and fills every page of the set (of the map, where the plan says so), and gives the advice that is about
  // filled pages (cold, pageout, collapse); to be called with Fill::none too. May be slow (swap): stops early when
  // `stop` says so, which is asked every 256 KiB. filled_bytes, if given, follows the progress; it may lie in shared
  // memory. Returns what advice was refused.
  std::vector<result::Finding> fill(const RegionPlan& plan, const std::function<bool()>& stop,
                                    std::atomic<std::uint64_t>* filled_bytes = nullptr);
  std::byte* data() const { return data_; }
  std::uint64_t map_bytes() const { return map_bytes_; }
  std::uint64_t page_bytes() const { return page_bytes_; }  // of the mapping: 4 KiB, hugetlb 2 MiB
  void unmap();

 private:
  Region() = default;
  std::byte* reserved_ = nullptr;  // the address range around the map, with a hole without access on either side
  std::uint64_t reserved_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::uint64_t map_bytes_ = 0, set_bytes_ = 0, page_bytes_ = 4096;
};

// The bytes of one page of a fill: pure; page number and seed choose them. random: 64 random bits in every word.
// legacy: as pmbench -i, whatever the seed: one byte of four, the others stay as they are.
// compressible: the last `percent` of the page are zeros, the rest random. none: nothing is written.
void fill_page(std::byte* page, std::size_t bytes, Fill fill, double percent, std::uint64_t page_number,
               std::uint64_t seed);

using base::system::memory_nodes, base::system::node_cpus;
// Where the pages of a range lie, by node (move_pages(2) with no target); an even sample of at most `most` pages. Node
// -1: in no memory (swapped out, or never touched). Empty: the kernel cannot say.
std::vector<std::pair<int, std::uint64_t>> pages_by_node(const std::byte* data, std::uint64_t bytes, std::size_t most);
// What a bound or placed region came to: a note with the counts, a warning where under 95 % of the resident pages lie
// where they were asked to be. Nothing asked, or no page resident:
// no finding. Pure.
std::vector<result::Finding> placement_findings(const RegionPlan& plan,
                                                const std::vector<std::pair<int, std::uint64_t>>& by_node);

}  // namespace fathom::paging::memory
