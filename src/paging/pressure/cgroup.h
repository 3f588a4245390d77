// Finds the memory controller (version 1 or 2, in whichever mounted hierarchy has it), and the cgroups in which the
// run's may be made, best first. Pure except for the calls to `machine`. cgroups(7), admin-guide/cgroup-v2.rst.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paging/pressure/machine.h"

namespace fathom::paging::pressure {

struct MemoryController {
  bool found = false, v2 = false;
  std::vector<std::string> parents;  // from the top of the hierarchy down to this process's own
};
MemoryController find_memory_controller(Machine& machine);

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
// Limits for the processes of a group: its own, and those of all groups above it that are visible here (in a container:
// up to the container's own). A memory limit that is not below the machine's memory counts as no limit.
struct EffectiveLimit {
  std::uint64_t memory_bytes = kNoLimit;  // memory.max, memory.limit_in_bytes: beyond it, processes are killed
  std::uint64_t high_bytes = kNoLimit;    // v2, memory.high: beyond it, processes are slowed down
  std::uint64_t swap_bytes = kNoLimit;    // v2, memory.swap.max
  std::uint64_t both_bytes = kNoLimit;    // v1, memory.memsw.limit_in_bytes: memory and swap together
  std::string group;                      // "/user.slice": has the tightest of memory_bytes and high_bytes

  bool binds() const { return tightest_bytes() != kNoLimit || swap_bytes != kNoLimit || both_bytes != kNoLimit; }
  std::uint64_t tightest_bytes() const { return memory_bytes < high_bytes ? memory_bytes : high_bytes; }
  bool same_as(const EffectiveLimit& o) const {
    return memory_bytes == o.memory_bytes && high_bytes == o.high_bytes && swap_bytes == o.swap_bytes &&
           both_bytes == o.both_bytes;
  }
};
// The limit for controller.parents[group].
EffectiveLimit effective_limit(Machine& machine, const MemoryController& controller, std::size_t group);
// The limit for this process's group, whatever limit the run makes below it.
EffectiveLimit ambient_limit(Machine& machine, const MemoryController& controller);
// The groups in which the run's may be made, best first. If no limit applies to this process: from the top down.
// Otherwise: from its own group up, while the limit is the same, so that it applies to the run too.
std::vector<std::string> parents_for_run(Machine& machine, const MemoryController& controller);

// The process's group in that hierarchy ("/a/b"), from the text of /proc/PID/cgroup; nullopt: it is in no group.
std::optional<std::string> cgroup_in(std::string_view proc_cgroup, bool v2);
// Whether a file of words ("cpu memory pids") has this word.
bool has_item(Machine& machine, const std::string& path, const std::string& word);

}  // namespace fathom::paging::pressure
