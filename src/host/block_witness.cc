// The stat file of a disk that is removed during the run is empty from then on. The last counts before the removal are
// kept, with the time.
#include "host/block_witness.h"

#include <algorithm>
#include <chrono>

#include "host/disk/block_stat.h"
#include "host/disk/block_tree.h"
#include "host/disk_stats.h"
#include "host/machine/disk_queues.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

using Clock = std::chrono::steady_clock;
using C = disk::BlockColumn;

struct Watched {
  std::string name;
  disk::BlockCounters first, last;
  std::optional<double> lost_at_s;
  bool readable = true;
  int off_ends = 0;  // how many of the two ends had queue/iostats = 0
};

struct Unit {
  const char* name;
  double of_one;  // factor from the kernel's count
  double bytes;   // bytes per unit of the kernel's count; 0: it counts no bytes
  const char* rule;
};
constexpr Unit kSectors{"bytes", 512, 512, "sectors x 512 bytes"}, kNumber{"count", 1, 0, ""},
    kTime{"s", 1e-3, 0, "ms of requests, summed"};

struct Column {
  const char* name;
  const char* direction;
  C column;
  const Unit& unit;
};
constexpr Column kColumns[] = {{"read_sectors", "read", C::read_sectors, kSectors},
                               {"write_sectors", "write", C::write_sectors, kSectors},
                               {"read_ios", "read", C::read_ios, kNumber},
                               {"write_ios", "write", C::write_ios, kNumber},
                               {"read_time", "read", C::read_ticks_ms, kTime},
                               {"write_time", "write", C::write_ticks_ms, kTime},
                               {"discard_ios", "discard", C::discard_ios, kNumber},
                               {"discard_sectors", "discard", C::discard_sectors, kSectors},
                               {"discard_time", "discard", C::discard_ticks_ms, kTime},
                               {"flush_ios", "flush", C::flush_ios, kNumber},
                               {"flush_time", "flush", C::flush_ticks_ms, kTime}};

class BlockWitness : public result::Witness {
 public:
  BlockWitness(const std::vector<std::string>& disks, std::string prefix, bool idle)
      : tree_(prefix), prefix_(std::move(prefix)), idle_(idle) {
    for (const auto& disk : disks) add(disk, 0);
  }

  std::string name() const override {
    std::string names;
    for (const auto& disk : disks_) names += (names.empty() ? "" : ", ") + disk.name;
    return "block layer of " + names;
  }

  base::Expected<void> begin() override {
    std::string unreadable;
    for (auto& disk : disks_) {
      const auto counters = read_block_counters(disk.name, prefix_);
      disk.off_ends = is_off(disk.name);
      if (counters)
        disk.first = disk.last = *counters;
      else
        unreadable = disk.name;
      disk.readable = counters.has_value();
    }
    // A disk with an unreadable stat is missing only itself.
    std::erase_if(disks_, [](const Watched& disk) { return !disk.readable; });
    if (disks_.empty())
      return base::Error{base::ErrorKind::io, "/sys/class/block/" + unreadable + "/stat cannot be read", {}, {}, {}, 0};
    dirty_begin_ = dirty_bytes(prefix_);
    began_ = Clock::now();
    return {};
  }

  void tick() override {
    for (auto& disk : disks_) look(disk);
  }

  result::WitnessReport end() override {
    tick();
    result::WitnessReport report;
    for (auto& disk : disks_) {
      for (const auto& column : kColumns) report.counts.push_back(count(disk, column));
      disk.off_ends += is_off(disk.name);
      if (!idle_ && disk.off_ends > 0) report.counts.push_back(switched_off(disk));
    }
    if (idle_) return report;
    report.counts.push_back(memory("dirty_begin", dirty_begin_));
    report.counts.push_back(memory("dirty_end", dirty_bytes(prefix_)));
    return report;
  }

 private:
  // A device below several others appears once.
  void add(const std::string& disk, int depth) {
    constexpr int kDeepest = 8;
    const auto same = [&](const Watched& w) { return w.name == disk; };
    if (disk.empty() || std::any_of(disks_.begin(), disks_.end(), same)) return;
    disks_.push_back({disk, {}, {}, {}, true, 0});
    if (depth == kDeepest) return;
    for (const auto& slave : tree_.slaves(disk)) add(tree_.whole_disk(slave), depth + 1);
  }

  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  void look(Watched& disk) {
    if (disk.lost_at_s) return;
    if (const auto counters = read_block_counters(disk.name, prefix_))
      disk.last = *counters;
    else
      disk.lost_at_s = elapsed_s();
  }

  result::Count count(const Watched& disk, const Column& column) const {
    result::Count c;
    c.source = idle_ ? "idle_block" : tree_.is_partition(disk.name) ? "partition" : "block";
    c.subject = disk.name;
    c.name = column.name;
    c.direction = column.direction;
    c.raw = static_cast<double>(disk::grown(disk.first[column.column], disk.last[column.column]));
    c.unit = column.unit.name;
    c.unit_bytes = column.unit.bytes;
    c.value = c.low = c.high = c.raw * column.unit.of_one;
    c.rule = column.unit.rule;
    c.window_s = disk.lost_at_s.value_or(elapsed_s());
    c.lost_at_s = disk.lost_at_s;
    return c;
  }

  int is_off(const std::string& disk) const { return machine::iostats_off(tree_, disk) ? 1 : 0; }

  result::Count switched_off(const Watched& disk) const {
    result::Count c;
    c.source = "block";
    c.subject = disk.name;
    c.name = "iostats_off";
    c.value = c.low = c.high = c.raw = disk.off_ends;
    c.unit = "count";
    c.window_s = elapsed_s();
    c.rule = "ends of the window at which queue/iostats was 0";
    return c;
  }

  result::Count memory(const char* name, double bytes) const {
    result::Count c;
    c.source = "memory";
    c.subject = "page cache";
    c.name = name;
    c.value = c.low = c.high = bytes;
    c.unit = "bytes";
    c.window_s = elapsed_s();
    return c;
  }

  disk::BlockTree tree_;
  std::string prefix_;
  bool idle_;
  std::vector<Watched> disks_;
  double dirty_begin_ = 0;
  Clock::time_point began_{};
};

}  // namespace

double dirty_bytes(const std::string& prefix) {
  const auto text = proc::read_text(prefix + "/proc/meminfo", 8192);
  return static_cast<double>(proc::meminfo_bytes(text, "Dirty") + proc::meminfo_bytes(text, "Writeback"));
}

std::unique_ptr<result::Witness> make_block_witness(const std::vector<std::string>& disks, const std::string& prefix) {
  return std::make_unique<BlockWitness>(disks, prefix, false);
}

std::unique_ptr<result::Witness> make_idle_block_witness(const std::vector<std::string>& disks,
                                                         const std::string& prefix) {
  return std::make_unique<BlockWitness>(disks, prefix, true);
}

}  // namespace fathom::host
