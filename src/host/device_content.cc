// A partition's own node is the better way: the kernel caches it apart from its disk, and what was written to one is
// not in the other's cache until it has reached the disk.
#include "host/device_content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/fd.h"
#include "host/signatures.h"

namespace fathom::host {
namespace {

base::UniqueFd open_node(const BlockTree& tree, const std::string& name) {
  base::UniqueFd fd(::open(("/dev/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat st {};
  if (fd && ::fstat(fd.get(), &st) == 0 && S_ISBLK(st.st_mode) && tree.device_of(name) == st.st_rdev) return fd;
  return {};
}

base::Expected<Signatures> look(const BlockTree& tree, const std::string& name, int disk) {
  if (const auto node = open_node(tree, name)) return probe_signatures(node.get(), name);
  constexpr std::uint64_t kSectorBytes = 512;  // sysfs counts in these whatever the device's own block
  const auto start = std::strtoull(tree.attribute(name, "start").c_str(), nullptr, 10) * kSectorBytes;
  return probe_signatures(disk, name, start, tree.size_bytes(name));
}

}  // namespace

std::vector<std::string> partition_contents(const BlockTree& tree, const std::string& disk, int fd) {
  std::vector<std::string> all;
  for (const auto& name : tree.partitions(disk)) {
    const auto found = look(tree, name, fd);
    if (!found || (found->content.empty() && found->partition_table.empty())) continue;
    const std::string label = found->label.empty() ? "" : fmt::format(" (label \"{}\")", found->label);
    all.push_back(found->content.empty() ? fmt::format("{} has a {} partition table", name, found->partition_table)
                                         : fmt::format("{} carries {}{}", name, found->content, label));
  }
  return all;
}

}  // namespace fathom::host
