// Where a run's pages go when they leave memory: the swaps that they can reach, the disk under their file, or nothing.
// What is none of theirs is neither timed nor read. Sources: Documentation/mm (swap, page cache): anonymous pages and
// those of tmpfs go to swap; pages of a file to the file, unless a private map wrote them. Thread rule: any thread.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "host/placement/placement.h"
#include "paging/plan.h"
#include "result/paging.h"

namespace fathom::paging::memory {

struct Medium {
  std::string disk;              // "": not known, `cause` says why
  std::string path;              // swap device, swap file, the mapped file; "": a file without a name on this disk
  std::uint64_t size_bytes = 0;  // 0: all of it
  std::string cause;             // what is not known, or is not the run's alone
  host::placement::Placement placement{};  // of the path, where there is one
};
// swaps: of PagingPressure.
std::vector<Medium> media_of(const Plan& plan, const std::vector<result::PagingSwap>& swaps,
                             host::placement::Placements& placements);
// The part of its disk that is timed for it; one without a path: all of it.
host::placement::Placement area_of(const Medium& medium);
// Whether pages of this plan can be swapped at all.
bool can_be_swapped(const Plan& plan);
// Out of a report's swaps, those of the machine that pages of this plan never reach; where nothing is left, "none".
void leave_out_foreign(const Plan& plan, std::vector<result::PagingSwap>& swaps);

}  // namespace fathom::paging::memory
