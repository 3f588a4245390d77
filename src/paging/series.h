// What the kernel counts beside the accesses, ten times a second, and its snapshots. Reads /proc and the cgroup's files
// into buffers that are there beforehand. Thread rule: as noted.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "result/paging.h"

namespace fathom::paging {

// /proc/vmstat or memory.stat whole, whatever its length: name -> value. Pure.
std::map<std::string, std::uint64_t> parse_counts(const std::string& text);
std::map<std::string, std::uint64_t> read_vmstat(const std::string& prefix = "");
// v1: memory.stat's total_*-less names (its own pgfault, pgmajfault ...); v2 as they are.
std::map<std::string, std::uint64_t> read_memory_stat(const std::string& cgroup_path);
// Has the kernel add up what its CPUs count apart (/proc/sys/vm/stat_refresh; root): node counters such as
// pgpromote_success lag by up to a second without it. Events (pgfault, pswpin) never lag. Works on every CPU: for
// snapshots. A v1 or v2 memory.stat lags by up to 64 events a CPU for 2 s, and nothing hurries it.
void refresh_vmstat(const std::string& prefix = "");
// end - begin, by name; counters that fell (a gauge) are left out.
std::map<std::string, std::uint64_t> counts_between(const std::map<std::string, std::uint64_t>& begin,
                                                    const std::map<std::string, std::uint64_t>& end);
// By the fields' names, never by their order.
result::PagingMemoryItem read_memory_item(const std::string& name, const std::string& prefix = "");

struct ThreadTotals {
  std::uint64_t accesses = 0, minor = 0, major = 0;
};
// A thread of the parent that takes a point every interval from start() to stop(): counts since the last point, over
// the time that there really was between them. The kernel's names are those of kernel_counts.h that this kernel has;
// allocstall is the sum over the zones. Pressure is the cgroup's where it says (v2), else the machine's.
// `totals` is called on that thread. One start() and one stop(); what has no stop() is thrown away.
class SeriesSampler {
 public:
  SeriesSampler(std::function<ThreadTotals()> totals, std::string cgroup_path, std::uint64_t interval_ms = 100,
                const std::string& prefix = "");
  ~SeriesSampler();
  void start();
  // Columns that stayed at 0 all the time are left out, but for the swap and fault counts.
  std::vector<result::PagingSeriesPoint> stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom::paging
