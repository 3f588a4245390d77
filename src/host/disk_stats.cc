// The tree of disks is built once, before the run. Begin and end only read one small file per disk.
#include "host/disk_stats.h"

#include <algorithm>
#include <charconv>

#include "host/disk/block_tree.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

// zram executes discards itself, and its stat omits them. The freed pages are in the fourth column of io_stat
// (Documentation/admin-guide/blockdev/zram.rst, notify_free).
void add_zram_discards(const std::string& io_stat, disk::BlockCounters& counters) {
  constexpr std::size_t kNotifyFree = 3, kSectorsOfAPage = 8;
  const auto fields = proc::split_fields(io_stat);
  if (fields.size() <= kNotifyFree) return;
  std::uint64_t pages = 0;
  std::from_chars(fields[kNotifyFree].data(), fields[kNotifyFree].data() + fields[kNotifyFree].size(), pages);
  counters.columns[static_cast<std::size_t>(disk::BlockColumn::discard_sectors)] += pages * kSectorsOfAPage;
}

}  // namespace

std::optional<disk::BlockCounters> read_block_counters(const std::string& disk, const std::string& prefix) {
  const disk::BlockTree tree(prefix);
  const auto text = tree.attribute(disk, "stat");
  if (text.empty()) return std::nullopt;
  auto counters = disk::parse_block_stat(text);
  if (disk.starts_with("zram")) add_zram_discards(tree.attribute(disk, "io_stat"), counters);
  return counters;
}

disk::BlockCounters read_block_stat(const std::string& disk, const std::string& prefix) {
  return disk::parse_block_stat(disk::BlockTree(prefix).attribute(disk, "stat"));
}

DiskStats::DiskStats(const std::vector<std::string>& disks, const std::string& prefix) : prefix_(prefix) {
  for (const auto& disk : disks) disks_.push_back(make_entry(disk, 0));
  begin();
}

// Example: dm on md on partitions. A partition is replaced by its disk, as at the top level. Real stacks are less deep
// than the limit.
DiskStats::Entry DiskStats::make_entry(const std::string& name, int depth) const {
  constexpr int kDeepest = 8;
  const disk::BlockTree tree(prefix_);
  Entry entry{name, {}, {}};
  if (depth == kDeepest) return entry;
  for (const auto& slave : tree.slaves(name)) {
    const std::string disk = tree.whole_disk(slave);
    const auto same = [&](const Entry& e) { return e.name == disk; };
    if (std::none_of(entry.members.begin(), entry.members.end(), same)) {
      entry.members.push_back(make_entry(disk, depth + 1));
    }
  }
  return entry;
}

void DiskStats::begin() {
  started_ = std::chrono::steady_clock::now();
  for (auto& disk : disks_) begin(disk);
}

void DiskStats::begin(Entry& entry) const {
  entry.first = read_block_stat(entry.name, prefix_);
  for (auto& member : entry.members) begin(member);
}

std::vector<result::Disk> DiskStats::end() const {
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - started_;
  std::vector<result::Disk> result;
  for (const auto& disk : disks_) result.push_back(end(disk, elapsed.count()));
  return result;
}

result::Disk DiskStats::end(const Entry& entry, double elapsed_ms) const {
  result::Disk disk = disk::difference(entry.name, entry.first, read_block_stat(entry.name, prefix_), elapsed_ms);
  for (const auto& member : entry.members) disk.members.push_back(end(member, elapsed_ms));
  return disk;
}

}  // namespace fathom::host
