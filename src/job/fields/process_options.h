// Options for the process or thread of a job, and for the memory of its I/Os.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/job.h"

namespace fathom::job::fields {

enum class NumaPolicy : std::uint8_t { unset, normal, prefer, bind, interleave, local };

struct ProcessOptions : OfJob {
  std::optional<int> nice;
  std::optional<unsigned> prio, prioclass, priohint;  // ioprio_set(2)
  std::optional<std::uint32_t> uid, gid;
  std::vector<int> numa_cpu_nodes;
  bool every_cpu_node = false;  // numa_cpu_nodes=all
  NumaPolicy numa_policy = NumaPolicy::unset;
  std::vector<int> numa_memory_nodes;  // of the policy; empty: all
  std::uint64_t lockmem_bytes = 0;
  int gtod_cpu = -1;  // reserved: jobs do not use this CPU; -1: none reserved
  std::string comm, exec_prerun, exec_postrun, ioscheduler;

  bool sets_io_priority() const { return prio || prioclass || priohint; }
};

struct Cgroup : OfJob {
  std::string name;     // empty: no cgroup
  unsigned weight = 0;  // 0: unchanged
  bool nodelete = false;
};

enum class MemoryKind : std::uint8_t { malloc, shm, shmhuge, mmap, mmaphuge, mmapshared };

struct BufferMemory : OfJob {
  MemoryKind kind = MemoryKind::malloc;
  std::string file;               // file to map; empty: no file
  std::uint64_t align_bytes = 0;  // in addition to page alignment
  std::uint64_t huge_page_bytes = 2u << 20;
};

}  // namespace fathom::job::fields
