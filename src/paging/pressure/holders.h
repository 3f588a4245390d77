// Finds other processes with pages in a swap, and whether memory has room for them. swapoff(2) reads all pages back
// into memory, each within the limit of the memory cgroup that it is charged to. If a process has no room there, the
// kernel kills it. The kernel's counters do not show which swap has a page, so with several swaps on, all numbers are
// upper bounds. Memory use that grows between this look and swapoff is not seen. Pages of other measuring runs are
// separate: reading them back would change what those runs measure. Sources: proc_pid_status(5) (VmSwap),
// proc_meminfo(5), admin-guide/cgroup-v2.rst (memory.swap.current), cgroup-v1/memory.rst (5.2). Thread rule: as
// machine.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "paging/pressure/machine.h"
#include "paging/pressure/swap/swap_header.h"

namespace fathom::paging::pressure {

struct Holder {
  int pid = 0;
  std::string name;
  std::uint64_t swapped_bytes = 0;
  std::string cgroup;  // of the memory controller, below its mount point; "": unknown
  int parent = 0;
};

// Another living run with pressure.
struct LivingRun {
  int pid = 0;
  std::string cgroup;  // its path; "": no cgroup
};

// Smaller amounts are not reported: pages of a process that has just ended are still counted for a moment.
inline constexpr std::uint64_t kWorthAWordBytes = 1 << 20;

struct SwapHolders {
  std::vector<Holder> holders;  // processes of others, no runs, with swapped pages, the largest first
  std::uint64_t bytes = 0;      // their pages in this swap, upper bound
  std::string no_room;          // what has no room, with the sum; "": all of it fits
  std::string of_runs;          // runs with pages in it, "pid 123 (up to 40 MiB)"; "": no runs
};
SwapHolders look_at_holders(Machine& machine, const swap::ActiveSwap& swap, const std::vector<LivingRun>& runs = {});

// "python3 (pid 123) 110 MiB, ...", the first few.
std::string holders_text(const std::vector<Holder>& holders);

}  // namespace fathom::paging::pressure
