// Keeps the tool's own pages in memory, and mapped, while it fills the rest of it. Source: mlock(2), mlockall(2),
// getrlimit(2) RLIMIT_MEMLOCK. Thread rule: the main thread of the measuring process, before the region is mapped.
#pragma once
#include <cstdint>
#include <span>

#include "paging/sources/thread_record.h"

namespace fathom::paging::touch {

// all: whatever the process has, code and heap included. measurement: the threads' records, stacks and sources.
// records: these only. none: all of it was refused.
enum class Locked : std::uint32_t { none, records, measurement, all };
constexpr const char* name(Locked l) {
  constexpr const char* names[] = {"nothing", "the measurement records", "the measurement's memory", "everything"};
  return names[static_cast<int>(l)];
}
// Locked bytes of a thread's memory, with its record.
constexpr std::uint64_t locked_bytes(Locked l, std::uint64_t thread_bytes) {
  return l == Locked::none ? 0 : l == Locked::records ? sizeof(sources::ThreadRecord) : thread_bytes;
}
// others: the threads' memory besides their records. error: errno of the refusal; 0 with `all`.
Locked lock_pages(std::span<sources::ThreadRecord> records, std::span<const std::span<const std::byte>> others,
                  int& error);

// Gives all writable mappings so far an explicit policy: "on the node where it is touched first". That is the default
// too, but the kernel's NUMA balancing unmaps no page of a mapping with such a policy to find the accessing thread
// (kernel/sched/fair.c, task_numa_work; set_mempolicy(2)). A kernel without NUMA: no effect.
void keep_where_it_is();

// Makes every page of the records present, so they are charged to the caller's cgroup, whichever process touches them
// later.
void prefault(std::span<sources::ThreadRecord> records);

}  // namespace fathom::paging::touch
