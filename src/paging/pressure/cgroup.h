// Where the memory controller is: version 1 or 2, whichever mounted hierarchy has it, and the cgroups in which ours may
// be made, best first. Pure but for what `machine` is asked. cgroups(7), admin-guide/cgroup-v2.rst.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paging/pressure/machine.h"

namespace fathom::paging {

struct MemoryController {
  bool found = false, v2 = false;
  std::vector<std::string> parents;  // from the top of the hierarchy down to this process's own
};
MemoryController find_memory_controller(Machine& machine);
// Of the text of /proc/PID/cgroup: the process's group in that hierarchy ("/a/b"); nullopt: in none.
std::optional<std::string> cgroup_in(std::string_view proc_cgroup, bool v2);
// Whether a file of words ("cpu memory pids") holds one.
bool has_word(Machine& machine, const std::string& path, const std::string& word);

}  // namespace fathom::paging
