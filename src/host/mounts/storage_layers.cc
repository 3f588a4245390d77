// The recursion ends: real stacks have few levels, and a loop device cannot be created on a file stored on itself.
#include "host/mounts/storage_layers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "base/extents.h"
#include "base/system/fd.h"
#include "host/disk/block_tree.h"
#include "host/mounts/locate.h"
#include "host/proc/text_file.h"

namespace fathom::host::mounts {
namespace {

double empty_bytes(const std::string& path, const struct stat& st) {
  constexpr double kStatBlock = 512;
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto places = base::file_places(fd.get(), 0, static_cast<std::uint64_t>(st.st_size));
  if (places) return places->holes + places->reserved;
  return std::max(0.0, static_cast<double>(st.st_size) - kStatBlock * static_cast<double>(st.st_blocks));
}

class Digger {
 public:
  explicit Digger(const std::string& prefix) : tree_(prefix), locator_(prefix) {}

  void dig(const std::string& disk, int depth) {
    constexpr int kDeepest = 8;
    const auto same = [&](const StorageLayer& layer) { return layer.upper == disk; };
    if (disk.empty() || depth == kDeepest || std::any_of(layers_.begin(), layers_.end(), same)) return;
    StorageLayer layer;
    layer.upper = disk;
    if (!look(layer)) return;
    const auto lower = layer.lower;
    layers_.push_back(std::move(layer));
    for (const auto& one : lower) dig(one, depth + 1);
  }

  std::vector<StorageLayer> take() { return std::move(layers_); }

 private:
  // False: no device is below it, as for a disk.
  bool look(StorageLayer& layer) const {
    for (const auto& slave : tree_.slaves(layer.upper)) add(tree_.whole_disk(slave), layer);
    if (!layer.lower.empty()) {
      layer.kind = "stack";
      return true;
    }
    layer.file = tree_.attribute(layer.upper, "loop/backing_file");
    if (!layer.file.empty()) {
      look_at_loop(layer);
      return true;
    }
    if (!layer.upper.starts_with("zram")) return false;
    layer.kind = "zram";
    layer.cause = "in memory (compressed)";
    return true;
  }

  static void add(const std::string& disk, StorageLayer& layer) {
    if (!disk.empty() && std::find(layer.lower.begin(), layer.lower.end(), disk) == layer.lower.end())
      layer.lower.push_back(disk);
  }

  void look_at_loop(StorageLayer& layer) const {
    layer.kind = "loop";
    layer.cached = tree_.attribute(layer.upper, "loop/dio") != "1";
    struct stat st {};
    // The path of a deleted file, or one of another mount namespace, does not exist here. Its directory cannot be used
    // instead.
    if (::stat(layer.file.c_str(), &st) != 0) {
      layer.cause = "its file " + layer.file + " is not visible";
      return;
    }
    if (S_ISREG(st.st_mode)) layer.sparse_bytes = empty_bytes(layer.file, st);
    for (const auto& disk : tree_.disks_of_files(locator_.device(layer.file))) add(disk, layer);
    if (layer.lower.empty())
      layer.cause = "its file " + layer.file + " is on no disk (" + Locator::kind(layer.file) + ")";
    const Mount* mount = locator_.mount(layer.file);
    if (layer.lower.empty() && mount != nullptr && keeps_in_memory(mount->file_system))
      layer.memory = mount->file_system;
    if (layer.lower.empty() && mount != nullptr)
      layer.cause = "its file " + layer.file + " lies on " + mount->file_system + ", which is on no known disk";
  }

  disk::BlockTree tree_;
  Locator locator_;
  std::vector<StorageLayer> layers_;
};

bool has_item(std::string_view options, std::string_view word) {
  while (!options.empty()) {
    const auto one = options.substr(0, options.find(','));
    if (one == word || (one.starts_with(word) && one[word.size()] == '=')) return true;
    options.remove_prefix(std::min(options.size(), one.size() + 1));
  }
  return false;
}

}  // namespace

std::vector<std::string> discarding_disks(const std::vector<std::string>& disks, const std::string& prefix) {
  const disk::BlockTree tree(prefix);
  std::vector<std::string> found;
  for (const auto& mount : parse_mountinfo(proc::read_text(prefix + "/proc/self/mountinfo"))) {
    if (!has_item(mount.options, "discard")) continue;
    dev_t device = mount.device;
    struct stat st {};
    if (const auto sources = source_devices(mount); major(device) == 0 && !sources.empty())
      device = ::stat((prefix + sources.front()).c_str(), &st) == 0 && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
    for (const auto& disk : tree.disks_of_files(device))
      if (std::find(disks.begin(), disks.end(), disk) != disks.end() &&
          std::find(found.begin(), found.end(), disk) == found.end())
        found.push_back(disk);
  }
  return found;
}

std::vector<StorageLayer> storage_layers(const std::vector<std::string>& disks, const std::string& prefix) {
  Digger digger(prefix);
  for (const auto& disk : disks) digger.dig(disk, 0);
  return digger.take();
}

}  // namespace fathom::host::mounts
