// The block layer's own count of a run: /sys/block/NAME/stat at begin and end, for fio's "Disk stats" and for the
// audit. Files are mapped to the disk that holds their file system; partitions to their whole disk. Not thread-safe.
#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/disk/block_stat.h"
#include "result/result.h"

namespace fathom::host {

// Kernel name of the whole disk behind a path ("vda"), empty if none (tmpfs, a character device). A path that does not
// exist yet lies on the disk of its parent folder, as in fio.
std::string disk_of(const std::string& path);
// The distinct disks behind the paths, in the order of their first mention.
std::vector<std::string> disks_of(std::span<const std::string> paths);
// `prefix` stands before /sys, for tests.
// With what a zram discards, which its stat does not count. Nothing: no such disk.
std::optional<disk::BlockCounters> read_block_counters(const std::string& disk, const std::string& prefix = "");
disk::BlockCounters read_block_stat(const std::string& disk, const std::string& prefix = "");

class DiskStats {
 public:
  // Targets of engines that touch no disk (null, sim) should not be passed: their names would be looked up as paths.
  explicit DiskStats(std::span<const std::string> target_paths) : DiskStats(disks_of(target_paths), std::string()) {}
  DiskStats(const std::vector<std::string>& disks, const std::string& prefix);
  void begin();
  // Since begin(); may be called again. In the order of the paths; members are what a dm or md device is built on.
  std::vector<result::Disk> end() const;

 private:
  struct Entry {
    std::string name;
    disk::BlockCounters first;
    std::vector<Entry> members;
  };
  Entry make_entry(const std::string& name, int depth) const;
  void begin(Entry& entry) const;
  result::Disk end(const Entry& entry, double elapsed_ms) const;

  std::string prefix_;
  std::vector<Entry> disks_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace fathom::host
