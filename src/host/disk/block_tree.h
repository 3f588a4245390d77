// The kernel's tree of block devices, /sys/class/block. A disk has partitions; a device has holders (dm, md ... built
// on it) and slaves (the devices below it). Each call reads sysfs; nothing is cached. `prefix` precedes every path, so
// that a test can build a tree.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fathom::host::disk {

class BlockTree {
 public:
  explicit BlockTree(std::string prefix = "") : prefix_(std::move(prefix)) {}

  std::string name_of(dev_t device) const;  // "sda1"; "": not a block device
  std::optional<dev_t> device_of(const std::string& name) const;
  bool is_partition(const std::string& name) const;
  std::string whole_disk(const std::string& name) const;  // itself if it is no partition
  std::vector<std::string> partitions(const std::string& name) const;
  std::vector<std::string> holders(const std::string& name) const;
  std::vector<std::string> slaves(const std::string& name) const;
  // Names of all devices of the btrfs that `name` belongs to, itself included; empty if no mounted btrfs has it.
  std::vector<std::string> btrfs_members(const std::string& name) const;
  // Whole disks that hold the file system on this device: its own first; for btrfs all of them. Empty: not a block
  // device.
  std::vector<std::string> disks_of_files(dev_t device) const;

  // First line of a file under the device's folder ("queue/scheduler", "device/model"), "" if missing.
  std::string attribute(const std::string& name, const std::string& file) const;
  std::uint64_t size_bytes(const std::string& name) const;
  // Model of the whole disk. A device without a model is described by its source ("loop of /x", "device-mapper
  // vg-root").
  std::string model(const std::string& name) const;
  std::string serial(const std::string& name) const;

 private:
  std::string folder(const std::string& name) const { return prefix_ + "/sys/class/block/" + name; }
  std::string prefix_;
};

}  // namespace fathom::host::disk
