// Several files of one disk share its number; a partition's own number leads to it.
#include "pmu/trace/split_targets.h"

#include <algorithm>

namespace fathom::pmu {

void SplitTargets::add(const std::string& path) {
  if (maps_.contains(path)) return;
  auto map = TargetMap::of(path);
  if (!map) {
    if (cause_.empty()) cause_ = map.error().what + ": " + map.error().cause;
    maps_.emplace(path, std::nullopt);
    return;
  }
  devices_[map->disk_dev()] = {map->disk(), map->bios()};
  if (map->part_dev() != map->disk_dev()) partitions_[map->part_dev()] = map->disk_dev();
  maps_.emplace(path, std::move(*map));
}

bool SplitTargets::any_bios() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& d) { return d.second.bios; });
}

bool SplitTargets::any_requests() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& d) { return !d.second.bios; });
}

TargetMap* SplitTargets::find(const std::string& path) {
  const auto at = maps_.find(path);
  return at == maps_.end() || !at->second ? nullptr : &*at->second;
}

std::vector<std::uint32_t> SplitTargets::event_devices() const {
  std::vector<std::uint32_t> out;
  for (const auto& [dev, device] : devices_) out.push_back(dev);
  for (const auto& [dev, disk] : partitions_) out.push_back(dev);
  return out;
}

std::uint32_t SplitTargets::disk_of(std::uint32_t dev) const {
  const auto at = partitions_.find(dev);
  return at == partitions_.end() ? dev : at->second;
}

std::vector<std::string> SplitTargets::device_names() const {
  std::vector<std::string> out;
  for (const auto& [dev, device] : devices_) out.push_back(device.name + (device.bios ? " (bios)" : " (requests)"));
  return out;
}

}  // namespace fathom::pmu
