// A process and its descendants, as /proc has them now. A command is often a shell, or make, that waits for the process
// that does the work. Thread-safe.
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

// The root first; living processes only. Empty: the root has ended. A process that outlives its parent leaves the tree.
std::vector<TreeProcess> process_tree(pid_t root, const std::string& proc = "/proc");

// The process with the most resident memory; the first of several. nullptr: the tree is empty.
const TreeProcess* heaviest(const std::vector<TreeProcess>& tree);

}  // namespace fathom::paging::learn
