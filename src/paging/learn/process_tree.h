// A process and those that it started, as /proc has them now: a command is often a shell, or make, that waits for the
// one that does the work. Thread-safe.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fathom::paging::learn {

struct TreeProcess {
  pid_t pid = 0;
  std::uint64_t resident_bytes = 0;
  std::string name;
};
std::string shown(const TreeProcess& one);  // "4711 (sh, 1.5 MiB)"

// The root first; only what lives. Empty: the root has ended. What outlives its parent is no longer in the tree.
std::vector<TreeProcess> process_tree(pid_t root, const std::string& proc = "/proc");

// The one with the most resident memory: the first of those that have it. nullptr: none.
const TreeProcess* heaviest(const std::vector<TreeProcess>& tree);

}  // namespace fathom::paging::learn
