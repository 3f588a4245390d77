// Kernel data that a check of several targets reads once: mounts, swap, loop devices, and the processes that have
// devices open. Each is read at first use. Use one object per check: nothing is read twice. Thread rule: one thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host/disk/block_tree.h"
#include "host/guards/device_openers.h"
#include "host/mounts/loop_backing.h"
#include "host/mounts/mount_namespaces.h"
#include "host/mounts/mount_table.h"

namespace fathom::host::guards {

class Surroundings {
 public:
  explicit Surroundings(const std::string& prefix = "") : prefix_(prefix), tree_(prefix) {}  // before /proc and /sys
  const disk::BlockTree& tree() const { return tree_; }
  // /proc/self/mountinfo and /proc/swaps: the texts, and the parsed values.
  const std::string& mounts_text();
  const std::string& swaps_text();
  const std::vector<mounts::Mount>& mounts();
  const std::vector<std::string>& swaps();
  const std::vector<mounts::LoopBacking>& loops();

  // Processes other than this one that have the device, a partition of it or its disk open for writing: "dd (pid
  // 4711)", with their relation to this process. Only those that still have it open after a second: programs that scan
  // or create disks open them briefly.
  std::vector<std::string> writers_of(dev_t device);
  std::vector<std::string> openers_of(dev_t device);  // for any access
  // Why the result of writers_of() may be incomplete; empty: it is complete.
  std::string openers_unknown();
  // "/data, in the mount namespace of dockerd (pid 812)".
  std::vector<std::string> mounts_elsewhere(dev_t device);

 private:
  const Openers& openers();
  std::vector<Opener> of_device(const Openers& openers, dev_t device, bool writing_only) const;
  std::vector<std::string> named(const std::vector<Opener>& openers) const;
  std::string prefix_;
  disk::BlockTree tree_;
  std::optional<std::string> mounts_text_, swaps_text_;
  std::optional<std::vector<mounts::Mount>> mounts_;
  std::optional<std::vector<std::string>> swaps_;
  std::optional<std::vector<mounts::LoopBacking>> loops_;
  std::optional<Openers> openers_;
  std::optional<std::vector<mounts::ForeignMounts>> elsewhere_;
};

}  // namespace fathom::host::guards
