// The interrupts of the queues of NVMe and virtio disks, and the CPUs that handle them. Other drivers give their
// interrupts names that do not show the disk. Source: Documentation/core-api/irq/irq-affinity.rst, proc(5)
// ("/proc/interrupts"). Thread-safe.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace fathom::host::machine {

struct QueueInterrupt {
  unsigned number = 0;
  std::string name;       // "nvme0q1", "virtio1-req.0"
  std::vector<int> cpus;  // that handle it: effective_affinity_list, or smp_affinity_list if that is hidden
  bool operator==(const QueueInterrupt&) const = default;
};

struct DiskInterrupts {
  std::string disk;
  std::vector<QueueInterrupt> queues;  // in the order of their numbers
};

// Disks whose interrupts are unknown are omitted. `prefix` precedes /proc and /sys, for tests.
std::vector<DiskInterrupts> disk_interrupts(std::span<const std::string> disks, const std::string& prefix = "");

}  // namespace fathom::host::machine
