// The disks of the machine and the settings of their queues. A disk has a driver: loop devices, zram, dm and md have
// none, and an empty drive has no size. Source: Documentation/ABI/stable/sysfs-block. Thread-safe.
#pragma once
#include <string>
#include <vector>

#include "host/disk/block_tree.h"
#include "result/result.h"

namespace fathom::host::machine {

struct DiskQueue {
  result::DeviceFacts facts;  // disk, model, size_bytes, scheduler, rotational, no_poll
  std::string kind;           // "NVMe", "virtio"; "disk": another one
  std::string write_cache;    // "write back", "write through"; empty: unknown
  bool iostats_off = false;
  bool poll_queues = false;  // facts.no_poll: it has none; neither: unknown
};

// In the order of their names. `prefix` precedes /sys, for tests.
std::vector<DiskQueue> disk_queues(const std::string& prefix = "");

// queue/iostats is 0: the kernel does not count the disk's I/Os. A zram counts its I/Os itself, and its flag is 0 from
// the beginning.
bool iostats_off(const disk::BlockTree& tree, const std::string& disk);

}  // namespace fathom::host::machine
