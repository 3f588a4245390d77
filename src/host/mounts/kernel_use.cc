// A depth-first walk with a set of visited names: two partitions may have the same array as holder. A container host
// has hundreds of mounts, most of them with the same source. So each device number and each source is looked up once.
#include "host/mounts/kernel_use.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace fathom::host::mounts {
namespace {

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

class Walk {
 public:
  Walk(const disk::BlockTree& tree, std::span<const Mount> mounts, std::span<const std::string> swaps)
      : tree_(tree), mounts_(mounts), swaps_(swaps) {}

  void visit(const std::string& name, bool with_partitions) {
    if (!seen_.insert(name).second) return;
    if (start_.empty()) start_ = name;
    const Node node{name, tree_.device_of(name), tree_.btrfs_members(name)};
    use_.nodes.push_back(name);
    use_.nodes.insert(use_.nodes.end(), node.btrfs.begin(), node.btrfs.end());
    find_mounts(node);
    for (const auto& path : swaps_) use_.swap |= names(path, name, node.device);
    for (const auto& holder : tree_.holders(name)) {
      const std::string dm_name = tree_.attribute(holder, "dm/name");
      add_once(use_.holders, dm_name.empty() ? holder : fmt::format("{} ({})", holder, dm_name));
      visit(holder, true);
    }
    if (!with_partitions) return;
    for (const auto& partition : tree_.partitions(name)) visit(partition, true);
  }

  const KernelUse& use() const { return use_; }

 private:
  struct Node {
    std::string name;
    std::optional<dev_t> device;
    std::vector<std::string> btrfs;
  };
  struct Path {
    bool there = false;
    dev_t block = 0;  // 0: no block device
  };

  const Path& look_up(const std::string& path) {
    const auto [at, fresh] = paths_.try_emplace(path);
    struct stat st {};
    if (fresh && ::stat(path.c_str(), &st) == 0) at->second = {true, S_ISBLK(st.st_mode) ? st.st_rdev : 0};
    return at->second;
  }

  // True if a path under /dev is the device. Compares the number, or the name if the path belongs to another root
  // directory (swap outside a chroot).
  bool names(const std::string& path, const std::string& name, std::optional<dev_t> device) {
    const Path& found = look_up(path);
    if (!found.there) return std::filesystem::path(path).filename() == name;
    return found.block != 0 && device == found.block;
  }

  bool mounts_device(const Mount& mount, const Node& node) {
    if (node.device == mount.device) return true;
    for (const auto& source : source_devices(mount)) {
      if (names(source, node.name, node.device)) return true;
      const auto is_source = [&](const std::string& member) { return names(source, member, tree_.device_of(member)); };
      if (mount.file_system == "btrfs" && std::any_of(node.btrfs.begin(), node.btrfs.end(), is_source)) return true;
    }
    return false;
  }

  void find_mounts(const Node& node) {
    for (const Mount& mount : mounts_) {
      if (!mounts_device(mount, node)) continue;
      const bool below = node.name != start_;
      add_once(use_.mounts, below ? fmt::format("{} ({})", mount.mount_point, node.name) : mount.mount_point);
    }
  }

  const disk::BlockTree& tree_;
  std::span<const Mount> mounts_;
  std::span<const std::string> swaps_;
  std::set<std::string> seen_;
  std::map<std::string, Path> paths_;  // sources of mounts and swap
  std::string start_;
  KernelUse use_;
};

}  // namespace

KernelUse kernel_use(const disk::BlockTree& tree, const std::string& name, std::span<const Mount> mounts,
                     std::span<const std::string> swaps) {
  Walk walk(tree, mounts, swaps);
  walk.visit(name, true);
  if (tree.is_partition(name)) walk.visit(tree.whole_disk(name), false);
  return walk.use();
}

}  // namespace fathom::host::mounts
