// A depth-first walk with a set of visited names: holders of two partitions can be the same array.
#include "host/kernel_use.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace fathom::host {
namespace {

void add_once(std::vector<std::string>& list, const std::string& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

class Walk {
 public:
  Walk(const BlockTree& tree, std::span<const Mount> mounts, std::span<const std::string> swaps)
      : tree_(tree), mounts_(mounts), swaps_(swaps) {}

  void visit(const std::string& name, bool with_partitions) {
    if (!seen_.insert(name).second) return;
    if (start_.empty()) start_ = name;
    find_mounts(name);
    for (const auto& path : swaps_) use_.swap |= names(path, name);
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
  // Whether a path under /dev is the device: by number, or by name where the path is of another root folder (swap
  // outside a chroot).
  bool names(const std::string& path, const std::string& name) const {
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return std::filesystem::path(path).filename() == name;
    return S_ISBLK(st.st_mode) && tree_.device_of(name) == st.st_rdev;
  }

  bool mounts_device(const Mount& mount, const std::string& name, const std::vector<std::string>& btrfs) const {
    if (tree_.device_of(name) == mount.device) return true;
    for (const auto& source : source_devices(mount)) {
      if (names(source, name)) return true;
      const auto is_source = [&](const std::string& member) { return names(source, member); };
      if (mount.file_system == "btrfs" && std::any_of(btrfs.begin(), btrfs.end(), is_source)) return true;
    }
    return false;
  }

  void find_mounts(const std::string& name) {
    const auto btrfs = tree_.btrfs_members(name);
    for (const Mount& mount : mounts_) {
      if (!mounts_device(mount, name, btrfs)) continue;
      add_once(use_.mounts, name == start_ ? mount.mount_point : fmt::format("{} ({})", mount.mount_point, name));
    }
  }

  const BlockTree& tree_;
  std::span<const Mount> mounts_;
  std::span<const std::string> swaps_;
  std::set<std::string> seen_;
  std::string start_;
  KernelUse use_;
};

}  // namespace

KernelUse kernel_use(const BlockTree& tree, const std::string& name, std::span<const Mount> mounts,
                     std::span<const std::string> swaps) {
  Walk walk(tree, mounts, swaps);
  walk.visit(name, true);
  if (tree.is_partition(name)) walk.visit(tree.whole_disk(name), false);
  return walk.use();
}

}  // namespace fathom::host
