// Samples the kernel's counters during the accesses, ten times a second, and takes snapshots. Reads /proc and the
// cgroup's files into buffers that exist beforehand. Thread rule: as noted.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "result/paging.h"

namespace fathom::paging {

// /proc/vmstat or memory.stat in full, of any length: name -> value. Pure.
std::map<std::string, std::uint64_t> parse_counts(const std::string& text);
std::map<std::string, std::uint64_t> read_vmstat(const std::string& prefix = "");
// v1: memory.stat's names without total_* (the group's own pgfault, pgmajfault ...); v2: as they are.
std::map<std::string, std::uint64_t> read_memory_stat(const std::string& cgroup_path);
// Makes the kernel add up its per-CPU counts (/proc/sys/vm/stat_refresh; root). Without it, node counters such as
// pgpromote_success lag by up to a second. Events (pgfault, pswpin) never lag. It costs work on every CPU: use it for
// snapshots. A v1 or v2 memory.stat lags by up to 64 events per CPU for 2 s, and nothing speeds that up.
void refresh_vmstat(const std::string& prefix = "");
// end - begin, by name; omits counters that fell (a gauge).
std::map<std::string, std::uint64_t> counts_between(const std::map<std::string, std::uint64_t>& begin,
                                                    const std::map<std::string, std::uint64_t>& end);
// Finds fields by name, never by order.
result::PagingMemoryItem read_memory_item(const std::string& name, const std::string& prefix = "");

struct ThreadTotals {
  std::uint64_t accesses = 0, minor = 0, major = 0;
};
// A thread of the parent that takes a point every interval from start() to stop(): counts since the last point, over
// the actual time between the two. The kernel's names are those of kernel_counts.h that this kernel has; allocstall is
// the sum over the zones. Pressure is the cgroup's if available (v2), else the machine's. `totals` is called on that
// thread. Call start() and stop() once each; without stop() the points are discarded.
class SeriesSampler {
 public:
  SeriesSampler(std::function<ThreadTotals()> totals, const std::string& cgroup_path, std::uint64_t interval_ms = 100,
                const std::string& prefix = "");
  ~SeriesSampler();
  void start();
  // Omits columns that stayed at 0 all the time, except the swap and fault counts.
  std::vector<result::PagingSeriesPoint> stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom::paging
