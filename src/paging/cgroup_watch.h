// Keeps a memory cgroup's counts fresh while its processes page, and reports what its OOM killer did.
//
// The kernel ages a cgroup's active list only if the cgroup's counts show that the inactive list is short. By itself,
// the kernel adds these counts up at most every 2 s (mm/vmscan.c: inactive_is_low(), mm/memcontrol.c:
// mem_cgroup_flush_stats_ratelimited). A new cgroup under a tight limit replaces its whole memory in less time. The
// inactive list runs dry, reclaim finds nothing, and the OOM killer kills a process although most of the swap is free.
// Seen on 6.18: three of eight runs. Reading memory.stat adds the counts up at once, so a thread reads it repeatedly,
// from the fork to the end.
// Thread rule: the main thread; start() after the last fork.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "result/finding.h"

namespace fathom::paging {

// Interval between two reads, 1 to 50 ms. It is so short that threads that page as fast as zram allows replace at most
// a quarter of the limit in it. Pure.
unsigned refresh_interval_ms(std::uint64_t limit_bytes, unsigned threads);

// The memory group in which the run was started, if a limit of it or of a group above it applies.
struct OutsideGroup {
  std::string path;               // "": no limit applies
  std::string limited_by;         // "/user.slice": the group that sets the limit
  std::uint64_t limit_bytes = 0;  // the tightest limit
};

struct KillFacts {
  bool counted = false;  // the cgroup counts its OOM kills
  std::uint64_t kills = 0;
  std::uint64_t limit_bytes = 0;  // of the run's own group; 0: no limit
  std::uint64_t swap_bytes = 0, free_swap_bytes = 0;
  unsigned threads = 0;
  OutsideGroup outside = {};
};
// Reads "oom_kill 1" of v1's memory.oom_control or v2's memory.events, and the limit of either.
KillFacts read_kill_facts(const std::string& cgroup_path);
// Why a process got SIGKILL, and the remedy, from the known facts. Pure.
struct KillTexts {
  std::string cause, remedy;
};
KillTexts kill_texts(const KillFacts& facts);

class CgroupWatch {
 public:
  // cgroup_path: the run's own; "": the run has no cgroup, and kills are those that `outside` counts from now on. Free
  // swap is sampled in any case.
  CgroupWatch(std::string cgroup_path, unsigned threads, OutsideGroup outside = {});
  ~CgroupWatch();
  CgroupWatch(const CgroupWatch&) = delete;
  CgroupWatch& operator=(const CgroupWatch&) = delete;
  void start();
  void stop();
  KillFacts kill_facts() const;  // free swap: the lowest value seen

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom::paging
