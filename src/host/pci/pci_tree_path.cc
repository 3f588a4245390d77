// Finds the root ports of a path, and states each step in one sentence. Stacks are resolved with the `slaves` of sysfs.
// A loop device is not followed to the disk below: a page cache is in between, so their bytes differ. Its cause states
// what is there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "host/disk/block_tree.h"
#include "host/pci/pci_tree.h"
#include "host/pci/pci_tree_walk.h"
#include "host/placement/placement.h"
#include "host/proc/text_file.h"

namespace fathom::host::pci {
namespace {

void add_once(std::vector<std::string>& list, const std::string& what) {
  if (std::find(list.begin(), list.end(), what) == list.end()) list.push_back(what);
}

class PathFinder {
 public:
  PathFinder(std::string target, const std::string& prefix) : prefix_(prefix), tree_(prefix) {
    path_.target = std::move(target);
  }

  PortPath from_path() {
    if (from_address()) return std::move(path_);
    const auto names = devices_of_path();
    if (names.empty() && path_.cause.empty()) path_.cause = path_.target + " is on no block device";
    for (const auto& name : names) device(name);
    return std::move(path_);
  }

  PortPath from_disk() {
    device(path_.target);
    return std::move(path_);
  }

 private:
  // "0000:01:00.0" or "0000:01:00.0/1": a device bound to a driver in user space.
  bool from_address() {
    const auto address = parse_pci_address(path_.target.substr(0, path_.target.find('/')));
    if (!address) return false;
    const auto chain = pci_chain(real_path(function_folder(*address, prefix_)));
    if (chain.empty()) {
      path_.cause = "no PCI device " + to_string(*address);
    } else {
      function(chain);
    }
    return true;
  }

  // Kernel names of the block devices that a path names or is stored on. A file system on several devices has several.
  std::vector<std::string> devices_of_path() {
    const std::string& target = path_.target;
    if (const auto name = node_name(target); !name.empty()) return {name};
    const placement::Placement place = placement::place(target, prefix_);
    const std::string& name = place.device_name;
    if (target.starts_with("/dev/") && name.empty() && real_path(target).empty()) {
      path_.cause = target + ": no such device";
      return {};
    }
    say_if_missing(target);
    if (!place.on_file_system()) {
      if (name.empty()) path_.cause = target + " is not a block device in sysfs";
      return name.empty() ? std::vector<std::string>() : std::vector<std::string>{name};
    }
    auto names = members(place);
    if (names.empty()) {
      path_.cause = fmt::format("{} is on {}, which has no block device", target, place.file_system);
    } else {
      path_.steps.push_back(fmt::format("{} is on {} ({}, mounted on {})", target, fmt::join(names, ", "),
                                        place.file_system, place.mount_point));
    }
    return names;
  }

  // The location of a new file follows from the nearest existing directory.
  void say_if_missing(const std::string& target) {
    std::error_code ec;
    std::filesystem::path nearest = std::filesystem::absolute(target, ec);
    if (ec || std::filesystem::exists(nearest, ec)) return;
    while (nearest.has_relative_path() && !std::filesystem::exists(nearest, ec)) nearest = nearest.parent_path();
    path_.steps.push_back(
        fmt::format("{} does not exist; the nearest existing directory is {}", target, nearest.string()));
  }

  // Finds "/dev/sda4" by its name: the node may be missing, in a container or in a recorded tree. /dev/ng0n1 is the
  // character device of nvme0n1.
  std::string node_name(const std::string& target) const {
    if (!target.starts_with("/dev/")) return {};
    std::string name = target.substr(5);
    std::replace(name.begin(), name.end(), '/', '!');
    if (name.starts_with("ng")) name = "nvme" + name.substr(2);
    return real_path(prefix_ + "/sys/class/block/" + name).empty() ? std::string() : name;
  }

  std::vector<std::string> members(const placement::Placement& place) const {
    if (place.device_name.empty()) return {};
    if (place.file_system == "btrfs") {
      if (auto all = tree_.btrfs_members(place.device_name); !all.empty()) return all;
    }
    std::vector<std::string> all = {place.device_name};
    if (place.sources.size() < 2) return all;
    for (const auto& source : place.sources)
      if (const auto other = node_name(source); !other.empty()) add_once(all, other);
    return all;
  }

  void device(const std::string& name) {
    if (!seen_.insert(name).second) return;
    const std::string disk = tree_.whole_disk(name);
    if (disk != name) {
      path_.steps.push_back(fmt::format("{} is a partition of {}", name, disk));
      return device(disk);
    }
    const auto below = tree_.slaves(disk);
    if (below.empty()) return leaf(disk);
    const std::string model = tree_.model(disk);
    path_.steps.push_back(
        fmt::format("{}{} is built on {}", disk, model.empty() ? model : " (" + model + ")", fmt::join(below, ", ")));
    for (const auto& one : below) device(one);
  }

  void leaf(const std::string& disk) {
    add_once(path_.disks, disk);
    const auto paths = carriers(disk, prefix_);
    if (paths.size() > 1) path_.steps.push_back(fmt::format("{} is reached over {} controllers", disk, paths.size()));
    bool found = false;
    for (const auto& path : paths) {
      const auto chain = pci_chain(path);
      if (chain.empty()) continue;
      found = true;
      path_.steps.push_back(fmt::format("{} belongs to PCI function {} ({}{})", disk, to_string(chain.back()),
                                        pci_class_text(class_of(chain.back())), driver_text(chain.back())));
      function(chain);
    }
    if (!found) add_cause(why_no_function(disk, paths.empty() ? std::string() : paths.front()));
  }

  void function(const std::vector<PciAddress>& chain) {
    add_once(path_.functions, to_string(chain.back()));
    const std::string port = to_string(chain.front());
    add_once(path_.ports, port);
    if (chain.size() == 1) {
      path_.steps.push_back(fmt::format("{} is on the root bus: no root port is above it", port));
      return;
    }
    const std::string through =
        chain.size() == 2 ? "" : fmt::format(" through {} bridge{}", chain.size() - 2, chain.size() == 3 ? "" : "s");
    path_.steps.push_back(fmt::format("{} is below root port {} ({}){}", to_string(chain.back()), port,
                                      six_digits(chain.front()), through));
  }

  std::uint32_t class_of(const PciAddress& address) const {
    return read_hex(function_folder(address, prefix_) + "/class");
  }

  std::string driver_text(const PciAddress& address) const {
    std::error_code ec;
    const auto link = std::filesystem::read_symlink(function_folder(address, prefix_) + "/driver", ec);
    return ec ? std::string() : ", driver " + link.filename().string();
  }

  void add_cause(const std::string& cause) { path_.cause += (path_.cause.empty() ? "" : "; ") + cause; }

  std::string why_no_function(const std::string& disk, const std::string& path) const {
    if (path.empty()) return disk + ": sysfs has no such disk";
    if (const auto file = tree_.attribute(disk, "loop/backing_file"); !file.empty()) return loop_text(disk, file);
    if (disk.starts_with("loop")) return disk + " is a loop device without a file, not a PCI device";
    if (disk.starts_with("zram")) return disk + " is memory (compressed), not a PCI device";
    if (disk.starts_with("ram") || disk.starts_with("pmem")) return disk + " is memory, not a PCI device";
    if (path.find("/nvme-fabrics/") != std::string::npos)
      return disk + " is reached over a network (NVMe over fabrics)";
    if (path.find("/devices/virtual/") != std::string::npos)
      return disk + " is a virtual device of the kernel, not a PCI device";
    return fmt::format("{} is on no PCI bus (its device is {})", disk, path.substr(prefix_.size()));
  }

  std::string loop_text(const std::string& disk, const std::string& file) const {
    const std::string below = placement::place(file, prefix_).disk;
    const char* how = tree_.attribute(disk, "loop/dio") == "1" ? "direct I/O" : "through the page cache";
    return fmt::format("{} is not a PCI device: its backing file is {}, {}", disk, file,
                       below.empty() ? "which is on no block device" : fmt::format("which is on {} ({})", below, how));
  }

  std::string prefix_;
  disk::BlockTree tree_;
  PortPath path_;
  std::set<std::string> seen_;
};

}  // namespace

PortPath port_of(const std::string& target_path, const std::string& prefix) {
  return PathFinder(target_path, prefix).from_path();
}

PortPath port_of_disk(const std::string& disk, const std::string& prefix) {
  return PathFinder(disk, prefix).from_disk();
}

}  // namespace fathom::host::pci
