// A disk, the disks below it, and so on.
#include "host/placement/limited_disks.h"

#include <algorithm>

namespace fathom::host::placement {

void LimitedDisks::add(const Placement& placement) {
  const disk::BlockTree tree;
  unknown_ |= placement.may_lie_elsewhere || placement.disks.empty();
  std::vector<std::string> disks = placement.disks;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    const auto number = tree.attribute(disks[i], "dev");
    unknown_ |= number.empty();
    if (std::find(numbers_.begin(), numbers_.end(), number) != numbers_.end()) continue;
    numbers_.push_back(number);
    for (const auto& below : tree.slaves(disks[i])) disks.push_back(tree.whole_disk(below));
  }
}

}  // namespace fathom::host::placement
