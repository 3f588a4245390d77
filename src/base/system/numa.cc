// Node masks with 1024 bits.
#include "base/system/numa.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/system/cpu_list.h"

namespace fathom::base::system {
namespace {

constexpr unsigned kNodeWordBits = 8 * sizeof(unsigned long);

std::vector<int> numbers_of(const std::string& prefix, const std::string& file) {
  std::ifstream in(prefix + "/sys/devices/system/node/" + file);
  std::string line;
  std::getline(in, line);
  return kernel_cpu_list(line);
}

}  // namespace

std::optional<NodeMask> node_mask(std::span<const int> nodes) {
  NodeMask mask{};
  for (const int node : nodes) {
    if (node < 0 || node >= kMostNodes) return std::nullopt;
    mask[static_cast<unsigned>(node) / kNodeWordBits] |= 1ul << (static_cast<unsigned>(node) % kNodeWordBits);
  }
  return mask;
}

std::vector<int> memory_nodes(const std::string& prefix) { return numbers_of(prefix, "has_memory"); }
std::vector<int> cpu_nodes(const std::string& prefix) { return numbers_of(prefix, "has_cpu"); }
std::vector<int> node_cpus(int node, const std::string& prefix) {
  return numbers_of(prefix, "node" + std::to_string(node) + "/cpulist");
}

int set_memory_policy(int mode, std::span<const int> nodes) {
  const auto mask = node_mask(nodes);
  if (!mask) return EINVAL;
  const bool none = nodes.empty();
  const long done = ::syscall(SYS_set_mempolicy, mode, none ? nullptr : mask->data(), none ? 0ul : kMostNodes + 1ul);
  return done == 0 ? 0 : errno;
}

}  // namespace fathom::base::system
