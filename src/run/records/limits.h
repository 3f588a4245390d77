// The limits of the machine that a job runs into before it does an I/O: tasks (a worker is one, forked or a thread) and
// descriptors. Read where something was refused: the number that is in the way, and how much of it is
// used. Memory is asked for before, where much would be taken (logs). Sources: getrlimit(2); kernel,
// Documentation/admin-guide/cgroup-v2.rst ("pids.max", "memory.max"), cgroup-v1/pids.rst, cgroup-v1/memory.rst;
// proc(5). Thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::run::records {

inline constexpr std::uint64_t kNoLimit = ~0ull;

// One limit on tasks. `used` counts what that limit counts.
struct TaskLimit {
  std::string name;  // "pids.max of cgroup /a", "RLIMIT_NPROC (ulimit -u)"
  std::uint64_t limit = kNoLimit, used = 0;
  bool reached() const { return used >= limit; }
};

// Those that are set, the nearest to its end first. root: "" but in tests.
std::vector<TaskLimit> task_limits(const std::string& root);
// What the cgroups leave this process of memory, before somebody in them is killed; kNoLimit, or more than the machine
// has: nothing does.
std::uint64_t memory_limit_bytes(const std::string& root);
// "pids.max of cgroup /a 40, 40 in use (reached)"; all of them where none is reached.
std::string describe(const std::vector<TaskLimit>& limits);

// Says of an errno that stands for a limit which one it was, and what helps; an Error that says it already stays.
base::Error with_limits(base::Error error);

}  // namespace fathom::run::records
