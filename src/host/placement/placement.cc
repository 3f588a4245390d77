// Takes one stat, one walk along the mount table, and a few small files of sysfs.
#include "host/placement/placement.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace fathom::host::placement {
namespace {

void look_at_node(Placement& place) {
  struct stat st {};
  if (::stat(place.path.c_str(), &st) != 0) {
    place.error = errno;
    return;
  }
  if (!S_ISREG(st.st_mode)) place.kind = mounts::Locator::kind(place.path);
  const bool device = S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode);
  place.node = device ? st.st_rdev : st.st_dev;
  place.inode = device ? 0 : st.st_ino;
  place.size_bytes = device ? 0 : static_cast<std::uint64_t>(st.st_size);
  if (!S_ISBLK(st.st_mode)) return;
  if (const auto identity = disk::identity_of(place.path)) place.identity = *identity;
}

void look_at_mount(const mounts::Locator& locator, Placement& place) {
  const mounts::Mount* const mount = locator.mount(place.path);
  if (mount == nullptr) return;
  place.file_system = mount->file_system;
  place.mount_point = mount->mount_point;
  place.mount_options = mount->options;
  place.sources = source_devices(*mount);
}

}  // namespace

const Placement& Placements::of(const std::string& path, bool writes) {
  const auto [at, is_new] = known_.try_emplace({path, writes});
  if (is_new) at->second = find(path, writes);
  return at->second;
}

Placement Placements::find(const std::string& path, bool writes) {
  Placement place;
  place.path = path;
  look_at_node(place);
  look_at_mount(locator_, place);
  place.device = locator_.device(path, writes);
  place.in_memory = locator_.in_memory(path, writes);
  if (place.file_system == "overlay") place.may_lie_elsewhere = locator_.may_lie_elsewhere(path);
  if (place.device == 0) place.unfollowed = locator_.unfollowed(path);
  place.device_name = tree_.name_of(place.device);
  if (place.device_name.empty()) return place;
  place.disk = tree_.whole_disk(place.device_name);
  place.partition = tree_.is_partition(place.device_name);
  if (place.partition)
    place.first_sector = std::strtoull(tree_.attribute(place.device_name, "start").c_str(), nullptr, 10);
  place.disks = place.kind == "block" ? std::vector<std::string>{place.disk} : disks_of_files(place.device);
  return place;
}

const std::vector<std::string>& Placements::disks_of_files(dev_t device) {
  const auto [at, is_new] = disks_.try_emplace(device);
  if (is_new) at->second = tree_.disks_of_files(device);
  return at->second;
}

Placement place(const std::string& path, const std::string& prefix) { return Placements(prefix).of(path); }

std::vector<std::string> disks_of(const std::vector<Placement>& placements) {
  std::vector<std::string> disks;
  for (const auto& place : placements)
    if (!place.disk.empty() && std::find(disks.begin(), disks.end(), place.disk) == disks.end())
      disks.push_back(place.disk);
  return disks;
}

}  // namespace fathom::host::placement
