// Keeps the tool's own pages in memory, and mapped, while it fills the rest of it. Source: mlock(2), mlockall(2),
// getrlimit(2) RLIMIT_MEMLOCK. Thread rule: the main thread of the measuring process, before the region is mapped.
#pragma once
#include <cstdint>
#include <span>

#include "paging/thread_record.h"

namespace fathom::paging {

// all: code, heap, stacks and records. records: those of the measurement only. none: both were refused.
enum class Locked : std::uint32_t { none, records, all };
constexpr const char* name(Locked l) {
  constexpr const char* names[] = {"nothing", "the measurement records", "everything"};
  return names[static_cast<int>(l)];
}
// error: errno of what was refused; 0 with `all`.
Locked lock_pages(std::span<ThreadRecord> records, int& error);

// All that is mapped so far and can be written gets a policy of its own, "on the node where it is touched first": what
// it has anyway, but the kernel's NUMA balancing takes no page away to see who touches it where a mapping has one
// (kernel/sched/fair.c, task_numa_work; set_mempolicy(2)). A kernel without NUMA: nothing happens.
void keep_where_it_is();

// Every page of it is there afterwards, whoever asks: so it is charged to the caller's cgroup.
void prefault(std::span<ThreadRecord> records);

}  // namespace fathom::paging
