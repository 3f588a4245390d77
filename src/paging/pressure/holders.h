// Who else has pages in a swap, and whether there is room for them: swapoff(2) brings all of them back into memory,
// each into the limit of the memory cgroup that it is charged to, and what has no room there is killed for it. Which
// swap a page lies in the kernel's counters do not tell, so with several swaps on all numbers are upper bounds. What
// uses more memory between this look and swapoff is not seen. Pages of other runs that measure are told apart: to
// bring them back would change what those measure. Sources: proc_pid_status(5) (VmSwap), proc_meminfo(5),
// admin-guide/cgroup-v2.rst (memory.swap.current), cgroup-v1/memory.rst (5.2). Thread rule: as machine.h.
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
  std::string cgroup;  // of the memory controller, below its mount point; "": not known
  int parent = 0;
};

// Another run with pressure that lives.
struct LivingRun {
  int pid = 0;
  std::string cgroup;  // its path; "": none
};

// Less than this is not worth a word: pages of what has just ended are counted for a moment yet.
inline constexpr std::uint64_t kWorthAWordBytes = 1 << 20;

struct SwapHolders {
  std::vector<Holder> holders;  // processes of others, no runs, with swapped pages, the largest first
  std::uint64_t bytes = 0;      // theirs in this swap, at most
  std::string no_room;          // what has none, with the sum; "": all of it fits
  std::string of_runs;          // runs with pages in it, "pid 123 (up to 40 MiB)"; "": none
};
SwapHolders look_at_holders(Machine& machine, const swap::ActiveSwap& swap, const std::vector<LivingRun>& runs = {});

// "python3 (pid 123) 110 MiB, ...", the first few.
std::string holders_text(const std::vector<Holder>& holders);

}  // namespace fathom::paging::pressure
