// The mean is an integer division by the number of members, as in fio. The utilization is that of the busiest member.
#include "report/parts/disks.h"

#include <algorithm>

namespace fathom::report::parts {
namespace {

result::Disk mean_of(const std::vector<result::Disk>& members) {
  constexpr std::uint64_t result::Disk::*kCounters[] = {
      &result::Disk::read_ios,      &result::Disk::write_ios,      &result::Disk::read_merges,
      &result::Disk::write_merges,  &result::Disk::read_sectors,   &result::Disk::write_sectors,
      &result::Disk::read_ticks_ms, &result::Disk::write_ticks_ms, &result::Disk::in_queue_ms};
  result::Disk mean;
  for (const auto& member : members) {
    for (auto counter : kCounters) mean.*counter += member.*counter;
    mean.util_percent = std::max(mean.util_percent, member.util_percent);
  }
  for (auto counter : kCounters) mean.*counter /= members.size();
  return mean;
}

void add(std::vector<DiskRow>& rows, const result::Disk& disk) {
  const auto known =
      std::find_if(rows.begin(), rows.end(), [&](const DiskRow& row) { return row.disk->name == disk.name; });
  if (known != rows.end()) return;
  rows.push_back({&disk, std::nullopt});
  if (disk.members.empty()) return;
  rows.back().members = mean_of(disk.members);
  for (const auto& member : disk.members) add(rows, member);
}

}  // namespace

std::vector<DiskRow> disk_rows(std::span<const result::Disk> disks) {
  std::vector<DiskRow> rows;
  for (const auto& disk : disks) add(rows, disk);
  return rows;
}

}  // namespace fathom::report::parts
