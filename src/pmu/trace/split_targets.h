// All targets of a split: which devices their events come from, and where an I/O lies. Thread rule: const members are
// thread-safe.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pmu/trace/target_map.h"

namespace fathom::pmu {

class SplitTargets {
 public:
  void add(const std::string& path);
  bool none() const { return devices_.empty(); }
  bool any_bios() const;
  bool any_requests() const;
  // Nothing: the target cannot be followed.
  TargetMap* find(const std::string& path);
  std::vector<std::uint32_t> event_devices() const;    // for the kernel's filter
  std::uint32_t disk_of(std::uint32_t dev) const;      // a partition's events are told as its disk's
  std::vector<std::string> device_names() const;       // "vda (requests)", "zram0 (bios)"
  const std::string& cause() const { return cause_; }  // of the first target that cannot be followed

 private:
  struct Device {
    std::string name;
    bool bios = false;
  };
  std::map<std::string, std::optional<TargetMap>> maps_;
  std::map<std::uint32_t, Device> devices_;            // disks
  std::map<std::uint32_t, std::uint32_t> partitions_;  // to their disks
  std::string cause_;
};

}  // namespace fathom::pmu
