// Disks in fio's order: a stacked device (dm, md) with the mean of its members, then the members.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "result/result.h"

namespace fathom::report::parts {

struct DiskRow {
  const result::Disk* disk;
  std::optional<result::Disk> members;  // mean over the members, largest utilization; only for a stacked device
};
// Valid as long as `disks` is. A disk under two devices is listed once.
std::vector<DiskRow> disk_rows(std::span<const result::Disk> disks);

}  // namespace fathom::report::parts
