// NUMA by the kernel's own calls (mbind(2), move_pages(2), Documentation/admin-guide/mm/numa_memory_policy.rst):
// libnuma would be a dependency for two system calls. Errors are errno values, 0: success. The caller decides what they
// mean. Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::paging::memory {

// bind: these nodes and no other. prefer: this node first, others when it is full. lift: the process's policy.
enum class Placement : std::uint8_t { bind, prefer, lift };

// Applies to pages that the range gets from now on; existing pages stay. data: page-aligned. nodes: below 1024.
int place(std::byte* data, std::uint64_t bytes, Placement placement, const std::vector<int>& nodes);

}  // namespace fathom::paging::memory
