// Mounts that this process does not see: those of other mount namespaces (containers, services with a /tmp of their
// own), read through one process of each. Needs root for other users' processes; what may not be read is left out.
// Source: mount_namespaces(7). Thread-safe.
#pragma once
#include <string>
#include <vector>

#include "host/mounts/mount_table.h"

namespace fathom::host::mounts {

struct ForeignMounts {
  std::string seen_through;  // "containerd-shim (pid 812)"
  std::vector<Mount> mounts;
};

// One entry for each mount namespace that is not this process's.
std::vector<ForeignMounts> mounts_of_other_namespaces(const std::string& prefix = "");

}  // namespace fathom::host::mounts
