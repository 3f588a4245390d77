// The cgroups of this process and all visible groups above them, in both versions: a container sees its own group as
// the root.
// Source: cgroups(7), /proc/self/cgroup, /proc/mounts. Thread-safe.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fathom::host {

struct OwnGroup {
  std::string folder;   // directory of its files
  std::string path;     // in its tree, "/database"
  bool second = false;  // version 2
};

// controller: for version 1, "blkio". further: names of groups below the mounts that this process is not in (a job's
// cgroup=). A group above several of them appears once. `prefix` precedes /proc and the mounts, for tests.
std::vector<OwnGroup> own_groups(std::string_view controller, const std::vector<std::string>& further = {},
                                 const std::string& prefix = "");

}  // namespace fathom::host
