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
// What is locked of a thread's memory, its record included.
constexpr std::uint64_t locked_bytes(Locked l, std::uint64_t thread_bytes) {
  return l == Locked::none ? 0 : l == Locked::records ? sizeof(sources::ThreadRecord) : thread_bytes;
}
// others: the threads' memory beside their records. error: errno of what was refused; 0 with `all`.
Locked lock_pages(std::span<sources::ThreadRecord> records, std::span<const std::span<const std::byte>> others,
                  int& error);

// All that is mapped so far and can be written gets a policy of its own, "on the node where it is touched first": what
// it has anyway, but the kernel's NUMA balancing takes no page away to see who touches it where a mapping has one
// (kernel/sched/fair.c, task_numa_work; set_mempolicy(2)). A kernel without NUMA: nothing happens.
void keep_where_it_is();

// Every page of it is there afterwards, whoever asks: so it is charged to the caller's cgroup.
void prefault(std::span<sources::ThreadRecord> records);

}  // namespace fathom::paging::touch
