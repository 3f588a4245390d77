// Limits of the machine that can stop a job before its first I/O: tasks (each worker is one, forked or a thread) and
// descriptors. They are read after a refusal: the limit in question, and how much of it is used. Memory is checked in
// advance where much is needed (logs).
// Sources: getrlimit(2); kernel, Documentation/admin-guide/cgroup-v2.rst ("pids.max", "memory.max"),
// cgroup-v1/pids.rst, cgroup-v1/memory.rst; proc(5). Thread-safe.
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

// The limits that are set, the one with the least room first. root: "" except in tests.
std::vector<TaskLimit> task_limits(const std::string& root);
// The lowest memory limit of this process's cgroups, above which the kernel kills one of their processes. kNoLimit, or
// more than the machine has: no limit takes effect.
std::uint64_t memory_limit_bytes(const std::string& root);
// "pids.max of cgroup /a 40, 40 in use (reached)"; all limits if none is reached.
std::string describe(const std::vector<TaskLimit>& limits);

// If the errno results from a limit: adds which one, and the remedy. An Error that already has these texts keeps them.
base::Error with_limits(base::Error error);

}  // namespace fathom::run::records
