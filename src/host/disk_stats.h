// The block layer's counters of a run: /sys/block/NAME/stat at begin and end, for fio's "Disk stats" and for the audit.
// host/placement selects the disks. Not thread-safe.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/disk/block_stat.h"
#include "result/result.h"

namespace fathom::host {

// `prefix` precedes /sys, for tests. Includes discards of a zram, which its stat does not count. nullopt: no such disk.
std::optional<disk::BlockCounters> read_block_counters(const std::string& disk, const std::string& prefix = "");
disk::BlockCounters read_block_stat(const std::string& disk, const std::string& prefix = "");

class DiskStats {
 public:
  explicit DiskStats(const std::vector<std::string>& disks, const std::string& prefix = "");
  void begin();
  // Changes since begin(); may be called again. In the order of the disks; members are the devices below a dm or md
  // device.
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
