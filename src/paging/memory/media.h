// Media to which a run's pages go when they leave memory: the swaps that they can reach, the disk under their file, or
// none. Only these are timed and read. Sources: Documentation/mm (swap, page cache): anonymous pages and those of tmpfs
// go to swap. Pages of a file go to the file, unless a private map wrote them. Thread rule: any thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/placement/placement.h"
#include "paging/plan.h"
#include "result/paging.h"

namespace fathom::paging::memory {

struct Medium {
  std::string disk;              // "": unknown, for the reason in `cause`
  std::string path;              // swap device, swap file, mapped file; "": a file without a name on this disk
  std::uint64_t size_bytes = 0;  // 0: all of it
  std::string cause;             // what is unknown, or is not the run's alone
  host::placement::Placement placement{};  // of the path, if there is one
};
// swaps: from PagingPressure.
std::vector<Medium> media_of(const Plan& plan, const std::vector<result::PagingSwap>& swaps,
                             host::placement::Placements& placements);
// The part of its disk that is timed for it; without a path: the whole disk.
host::placement::Placement area_of(const Medium& medium);
// Whether pages of this plan can be swapped at all.
bool can_be_swapped(const Plan& plan);
// Removes from a report's swaps those of the machine that pages of this plan never reach; an empty list becomes "none".
void leave_out_foreign(const Plan& plan, std::vector<result::PagingSwap>& swaps);

}  // namespace fathom::paging::memory
