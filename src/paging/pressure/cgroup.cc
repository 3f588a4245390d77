// Finds the controller and the limits that apply here, from the top down. If no limit applies to its caller, root makes
// its cgroup at the top. A user with a delegated subtree makes it at the top of that subtree: processes may be moved
// from there (cgroup-v2.rst, "Delegation Containment"). If a limit applies, the run's cgroup must be below it.
#include "paging/pressure/cgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "host/mounts/mount_table.h"
#include "host/proc/proc_text.h"

namespace fathom::paging::pressure {
namespace {

bool option_named(const std::string& options, std::string_view name) {
  const std::string list = "," + options + ",";
  return list.find("," + std::string(name) + ",") != list.npos;
}

std::vector<std::string> down_to(Machine& machine, const std::string& mount_point, const std::string& own) {
  std::vector<std::string> parents = {mount_point};
  for (std::size_t at = 1; at < own.size();) {
    const auto slash = std::min(own.find('/', at), own.size());
    const std::string path = mount_point + own.substr(0, slash);
    if (!machine.exists(path + "/cgroup.procs")) break;
    parents.push_back(path);
    at = slash + 1;
  }
  return parents;
}

// Without a cgroup namespace, a container sees its group by the host's path. It sees the hierarchy only from its group
// down.
std::string below_mount(const std::string& own, const std::string& root) {
  if (root == "/" || own.compare(0, root.size(), root) != 0) return own;
  return own.size() == root.size() ? "/" : own.substr(root.size());
}

struct LimitFile {
  const char* name;
  std::uint64_t EffectiveLimit::*limit;
  bool of_memory;
};
constexpr LimitFile kV1Limits[] = {{"/memory.limit_in_bytes", &EffectiveLimit::memory_bytes, true},
                                   {"/memory.memsw.limit_in_bytes", &EffectiveLimit::both_bytes, false}};
constexpr LimitFile kV2Limits[] = {{"/memory.max", &EffectiveLimit::memory_bytes, true},
                                   {"/memory.high", &EffectiveLimit::high_bytes, true},
                                   {"/memory.swap.max", &EffectiveLimit::swap_bytes, false}};

// "max" and v1's 2^63 mean no limit.
std::uint64_t limit_in(Machine& machine, const std::string& path) {
  constexpr std::uint64_t kFromHereNone = std::uint64_t{1} << 60;
  const std::string text = read_value(machine, path).value_or("");
  std::uint64_t bytes = 0;
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return err != std::errc() || end == text.data() || bytes >= kFromHereNone ? kNoLimit : bytes;
}

// The name relative to the top of the hierarchy visible here.
std::string name_below(const std::string& path, const std::string& top) {
  return path.size() > top.size() ? path.substr(top.size()) : "/";
}

}  // namespace

EffectiveLimit effective_limit(Machine& machine, const MemoryController& controller, std::size_t group) {
  const std::uint64_t ram = host::proc::meminfo_bytes(machine.read("/proc/meminfo").value_or(""), "MemTotal");
  const std::span<const LimitFile> files = controller.v2 ? std::span<const LimitFile>(kV2Limits) : kV1Limits;
  EffectiveLimit limit;
  for (std::size_t i = 0; i <= group && i < controller.parents.size(); ++i) {
    const std::string& path = controller.parents[i];
    // v1 before 5.11: the limit of a group may be set to exclude the groups below it (memory.rst, 6).
    const bool holds_below = i == group || read_value(machine, path + "/memory.use_hierarchy") != "0";
    if (!holds_below) continue;
    for (const LimitFile& file : files) {
      const std::uint64_t bytes = limit_in(machine, path + file.name);
      const bool none = bytes == kNoLimit || (file.of_memory && ram > 0 && bytes >= ram);
      if (none || bytes >= limit.*file.limit) continue;
      if (file.of_memory && bytes < limit.tightest_bytes()) limit.group = name_below(path, controller.parents[0]);
      limit.*file.limit = bytes;
    }
  }
  return limit;
}

EffectiveLimit ambient_limit(Machine& machine, const MemoryController& controller) {
  return controller.found ? effective_limit(machine, controller, controller.parents.size() - 1) : EffectiveLimit{};
}

std::vector<std::string> parents_for_run(Machine& machine, const MemoryController& controller) {
  const EffectiveLimit ambient = ambient_limit(machine, controller);
  if (!ambient.binds()) return controller.parents;
  std::vector<std::string> parents;
  for (std::size_t i = controller.parents.size(); i-- > 0;) {
    if (!effective_limit(machine, controller, i).same_as(ambient)) break;
    parents.push_back(controller.parents[i]);
  }
  return parents;
}

// "4:memory:/a/b" or "0::/a/b" -> "/a/b".
std::optional<std::string> cgroup_in(std::string_view proc_cgroup, bool v2) {
  for (const std::string_view line : host::proc::split_lines(proc_cgroup)) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool ours =
        v2 ? controllers.empty() && line.substr(0, first) == "0" : option_named(std::string(controllers), "memory");
    if (ours) return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

bool has_item(Machine& machine, const std::string& path, const std::string& word) {
  const std::string text = read_value(machine, path).value_or("");
  const auto fields = host::proc::split_fields(text);
  return std::find(fields.begin(), fields.end(), word) != fields.end();
}

MemoryController find_memory_controller(Machine& machine) {
  for (const host::mounts::Mount& mount :
       host::mounts::parse_mountinfo(machine.read("/proc/self/mountinfo").value_or(""))) {
    const bool v1 = mount.file_system == "cgroup" && option_named(mount.options, "memory");
    const bool v2 =
        mount.file_system == "cgroup2" && has_item(machine, mount.mount_point + "/cgroup.controllers", "memory");
    if (!v1 && !v2) continue;
    const auto own = cgroup_in(machine.read("/proc/self/cgroup").value_or(""), v2);
    return {true, v2, down_to(machine, mount.mount_point, below_mount(own.value_or("/"), mount.root))};
  }
  return {};
}

}  // namespace fathom::paging::pressure
