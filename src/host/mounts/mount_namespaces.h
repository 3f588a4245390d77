// Mounts that this process does not see: those of other mount namespaces (containers, services with a private /tmp),
// read through one process of each. Needs root for other users' processes; unreadable ones are omitted. Source:
// mount_namespaces(7). Thread-safe.
#pragma once
#include <string>
#include <vector>

#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

struct ForeignMounts {
  std::string seen_through;  // "containerd-shim (pid 812)"
  std::vector<Mount> mounts;
};

// One entry for each mount namespace other than this process's.
std::vector<ForeignMounts> mounts_of_other_namespaces(const std::string& prefix = "");

}  // namespace fathom::host::mounts
