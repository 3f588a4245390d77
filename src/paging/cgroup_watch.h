// A memory cgroup's counts kept fresh while its processes page, and what its OOM killer did.
//
// The kernel ages a cgroup's active list only where the inactive one is short by the cgroup's counts, and those it adds
// up at most every 2 s on its own (mm/vmscan.c: inactive_is_low(), mm/memcontrol.c:
// mem_cgroup_flush_stats_ratelimited). A new cgroup under a tight limit turns its whole memory over in less: the
// inactive list runs dry, nothing is found to be reclaimed, and its OOM killer strikes although most of the swap is
// free. Seen on 6.18: three of eight runs. Whoever reads memory.stat has the counts added up at once: so that is read
// again and again, from the fork to the end. Thread rule: the main thread; start() after the last fork.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "result/finding.h"

namespace fathom::paging {

// How often: so that at most a quarter of the limit is turned over in between, by threads that page as fast as zram
// lets them. Pure.
unsigned refresh_interval_ms(std::uint64_t limit_bytes, unsigned threads);

// The memory group that the run was started in, where a limit of it or of a group above it holds.
struct OutsideGroup {
  std::string path;               // "": no limit holds
  std::string limited_by;         // "/user.slice": whose limit it is
  std::uint64_t limit_bytes = 0;  // the tightest
};

struct KillFacts {
  bool counted = false;  // the cgroup says how many it killed
  std::uint64_t kills = 0;
  std::uint64_t limit_bytes = 0;  // of the run's own group; 0: none
  std::uint64_t swap_bytes = 0, free_swap_bytes = 0;
  unsigned threads = 0;
  OutsideGroup outside = {};
};
// "oom_kill 1" of v1's memory.oom_control or v2's memory.events, the limit of either.
KillFacts read_kill_facts(const std::string& cgroup_path);
// Why a process got SIGKILL and what to do about it, from what is known. Pure.
struct KillTexts {
  std::string cause, remedy;
};
KillTexts kill_texts(const KillFacts& facts);

class CgroupWatch {
 public:
  // cgroup_path: the run's own; "": none, then kills are those that `outside` counts from now on. Swap is looked at
  // in any case.
  CgroupWatch(std::string cgroup_path, unsigned threads, OutsideGroup outside = {});
  ~CgroupWatch();
  CgroupWatch(const CgroupWatch&) = delete;
  CgroupWatch& operator=(const CgroupWatch&) = delete;
  void start();
  void stop();
  KillFacts kill_facts() const;  // free swap: the least that was seen

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fathom::paging
