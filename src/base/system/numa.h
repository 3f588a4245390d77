// NUMA nodes through system calls (set_mempolicy(2), Documentation/admin-guide/mm/numa_memory_policy.rst): libnuma
// would be a dependency for two system calls. Errors are errno values, 0: none. Thread-safe.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fathom::base::system {

inline constexpr int kMostNodes = 1024;  // the most that a kernel is built for
using NodeMask = std::array<unsigned long, kMostNodes / (8 * sizeof(unsigned long))>;
// nullopt: a node number is out of range.
std::optional<NodeMask> node_mask(std::span<const int> nodes);

// "0-3,8" nodes and their CPUs from /sys/devices/system/node; empty where the kernel has no NUMA.
std::vector<int> memory_nodes(const std::string& prefix = "");
std::vector<int> cpu_nodes(const std::string& prefix = "");
std::vector<int> node_cpus(int node, const std::string& prefix = "");

// Sets the calling thread's policy for its later allocations: one of MPOL_... of linux/mempolicy.h.
int set_memory_policy(int mode, std::span<const int> nodes);

}  // namespace fathom::base::system
