// The kinds of memory, and the media that their pages can go to.
#include "paging/memory/media.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <vector>

namespace fathom::paging::memory {
namespace {

bool is_file(Memory memory) { return memory == Memory::file_private || memory == Memory::file_shared; }

bool is_regular(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

// For a file that does not exist yet: checks its directory.
bool on_tmpfs(const std::string& path) {
  struct statfs s {};
  const auto slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash + 1);
  if (::statfs(path.c_str(), &s) != 0 && ::statfs(folder.c_str(), &s) != 0) return false;
  return s.f_type == TMPFS_MAGIC;
}

// A private page no longer belongs to the file once it was written.
bool writes_private_pages(const Plan& plan) {
  return plan.region.memory == Memory::file_private &&
         (plan.region.fill != Fill::none || plan.pattern.read_percent != 100);
}

Medium file_medium(const RegionPlan& region, host::placement::Placements& placements) {
  Medium medium;
  medium.placement = placements.of(region.file, region.memory == Memory::file_shared);
  medium.disk = medium.placement.disk;
  const bool named = is_regular(region.file);
  if (named) medium.path = region.file;
  medium.size_bytes = region.set_bytes;
  if (medium.disk.empty())
    medium.cause = "no disk is known under " + region.file;
  else if (!named)
    medium.cause = "requests of all processes on the disk: the file has no name";
  return medium;
}

}  // namespace

bool can_be_swapped(const Plan& plan) {
  const auto& region = plan.region;
  if (region.memory == Memory::hugetlb) return false;
  return !is_file(region.memory) || on_tmpfs(region.file) || writes_private_pages(plan);
}

std::vector<Medium> media_of(const Plan& plan, const std::vector<result::PagingSwap>& swaps,
                             host::placement::Placements& placements) {
  std::vector<Medium> media;
  if (is_file(plan.region.memory) && !on_tmpfs(plan.region.file)) media.push_back(file_medium(plan.region, placements));
  if (!can_be_swapped(plan)) return media;
  for (const auto& swap : swaps)
    if (!swap.disk.empty())
      media.push_back({swap.disk, swap.path, swap.size_bytes, "",
                       swap.path.empty() ? host::placement::Placement{} : placements.of(swap.path, true)});
  return media;
}

host::placement::Placement area_of(const Medium& medium) {
  return medium.path == "/dev/" + medium.disk ? host::placement::Placement{} : medium.placement;
}

void leave_out_foreign(const Plan& plan, std::vector<result::PagingSwap>& swaps) {
  if (swaps.empty() || can_be_swapped(plan)) return;
  std::erase_if(swaps, [](const result::PagingSwap& swap) { return swap.kind == "current"; });
  if (!swaps.empty()) return;
  result::PagingSwap none;
  none.kind = none.name = "none";
  swaps.push_back(none);
}

}  // namespace fathom::paging::memory
