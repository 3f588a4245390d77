// Finding the controller, and Setup's cgroup. From the top down: root makes its cgroup at the top, where no limit of
// others acts; a user with a delegated subtree makes it as high as it was delegated, since from there processes may be
// moved (cgroup-v2.rst, "Delegation Containment").
#include "paging/pressure/cgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "host/mount_table.h"
#include "host/proc_text.h"
#include "paging/pressure/setup.h"
#include "paging/pressure/undo.h"
#include "paging/pressure/words.h"

namespace fathom::paging {
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

}  // namespace

// "4:memory:/a/b" or "0::/a/b" -> "/a/b".
std::optional<std::string> cgroup_in(std::string_view proc_cgroup, bool v2) {
  for (const std::string_view line : host::split_lines(proc_cgroup)) {
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

bool has_word(Machine& machine, const std::string& path, const std::string& word) {
  const std::string text = read_value(machine, path).value_or("");
  const auto words = host::split_words(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

MemoryController find_memory_controller(Machine& machine) {
  for (const host::Mount& mount : host::parse_mountinfo(machine.read("/proc/self/mountinfo").value_or(""))) {
    const bool v1 = mount.file_system == "cgroup" && option_named(mount.options, "memory");
    const bool v2 =
        mount.file_system == "cgroup2" && has_word(machine, mount.mount_point + "/cgroup.controllers", "memory");
    if (!v1 && !v2) continue;
    const auto own = cgroup_in(machine.read("/proc/self/cgroup").value_or(""), v2);
    return {true, v2, down_to(machine, mount.mount_point, own.value_or("/"))};
  }
  return {};
}

base::Expected<void> Setup::check_controller() {
  if (plan_.limit_bytes == 0 || find_memory_controller(machine_).found) return {};
  return base::Error{base::ErrorKind::privilege,
                     fmt::format("no limit of {} can be set", size_words(plan_.limit_bytes)),
                     "no memory cgroup is mounted here, neither version 1 nor 2",
                     "leave --limit out, or boot with cgroup_enable=memory and mount -t cgroup2 none /sys/fs/cgroup",
                     {},
                     0};
}

bool Setup::keeps_from_swapping() { return plan_.swap.kind == SwapPlan::Kind::none && !active_swaps(machine_).empty(); }

base::Expected<void> Setup::make_cgroup() {
  if (plan_.limit_bytes == 0 && !keeps_from_swapping()) return {};
  const MemoryController controller = find_memory_controller(machine_);
  const std::string what = plan_.limit_bytes > 0
                               ? fmt::format("no limit of {}", size_words(plan_.limit_bytes))
                               : "pages may still be swapped: only a memory cgroup keeps a process from it";
  if (!controller.found) {
    not_possible("no memory cgroup is mounted here: " + what);
    return {};
  }
  for (const std::string& parent : controller.parents) {
    const auto made = make_cgroup_in(parent, controller.v2);
    if (!made) return made.error();
    if (!*made) continue;
    made_.controller = controller.v2 ? "cgroup v2" : "cgroup v1";
    return limit_cgroup(controller.v2);
  }
  const char* why = machine_.administrator() ? "no cgroup may be made" : "without root";
  not_possible(why + std::string(": ") + what);
  return {};
}

base::Expected<bool> Setup::make_cgroup_in(const std::string& parent, bool v2) {
  if (!machine_.writable(parent)) return false;
  const base::UniqueFd lock = lock_state(machine_, state_);
  if (v2) {
    const auto given = give_memory_controller(parent);
    if (!given || !*given) return given;
  }
  const std::string path = parent + "/" + cgroup_name(run_.pid);
  if (auto written = journal_.record(Action::cgroup, {path}); !written) return written.error();
  int err = machine_.make_directory(path);
  if (err == EEXIST && machine_.remove_directory(path) == 0) err = machine_.make_directory(path);
  if (err == EACCES || err == EPERM || err == EROFS) return false;
  if (err != 0) return base::system_error(path + ": making the cgroup", err);
  made_.cgroup_path = path;
  return true;
}

// Children have the controller only if the parent hands it down. Those that rely on it all journal it: the last of them
// takes it back.
base::Expected<bool> Setup::give_memory_controller(const std::string& parent) {
  const std::string control = parent + "/cgroup.subtree_control";
  if (!has_word(machine_, parent + "/cgroup.controllers", "memory")) return false;
  if (has_word(machine_, control, "memory")) {
    for (const OtherEntry& other : entries_of_others(machine_, state_, run_)) {
      if (other.entry.action != Action::subtree || other.entry.text(0) != parent) continue;
      if (auto written = journal_.record(Action::subtree, {parent}); !written) return written.error();
      break;
    }
    return true;
  }
  const bool top = !machine_.exists(parent + "/cgroup.type");
  const bool has_processes = !machine_.read(parent + "/cgroup.procs").value_or("").empty();
  if (!machine_.writable(control) || (has_processes && !top)) return false;
  if (auto written = journal_.record(Action::subtree, {parent}); !written) return written.error();
  return machine_.write(control, "+memory") == 0;
}

base::Expected<void> Setup::write_limit(const std::string& file, const std::string& value) {
  const std::string path = made_.cgroup_path + "/" + file;
  const int err = machine_.write(path, value);
  if (err == 0) return {};
  auto error = base::system_error(fmt::format("{}: {} cannot be set", path, value), err);
  error.help = "leave --limit out, or ask for another one";
  return error;
}

base::Expected<void> Setup::limit_cgroup(bool v2) {
  if (plan_.limit_bytes > 0) {
    auto limited = write_limit(v2 ? "memory.max" : "memory.limit_in_bytes", std::to_string(plan_.limit_bytes));
    if (!limited) return limited;
  }
  if (plan_.swap.kind == SwapPlan::Kind::none) {
    const std::size_t refused = made_.not_possible.size();
    auto kept = keep_from_swapping(v2);
    made_.kept_from_swap = kept.ok() && made_.not_possible.size() == refused;
    return kept;
  }
  for (const auto& [name, value] : plan_.settings) {
    if (v2 || name != "vm.swappiness") continue;
    if (auto set = write_limit("memory.swappiness", value); !set) return set;
  }
  return {};
}

// --swap none: the run's processes do not use what swap the machine has. v1 has no limit of swap alone: one of memory
// and swap that is no larger than the one of memory leaves none, and without a limit there is swappiness, which the
// kernel heeds unless the whole machine is out of memory (cgroup-v1/memory.rst, 5.3).
base::Expected<void> Setup::keep_from_swapping(bool v2) {
  const auto has = [&](const char* file) { return machine_.exists(made_.cgroup_path + "/" + file); };
  if (v2) {
    if (has("memory.swap.max")) return write_limit("memory.swap.max", "0");
    not_possible("this kernel's cgroup v2 has no memory.swap.max: pages may still be swapped");
    return {};
  }
  if (plan_.limit_bytes > 0 && has("memory.memsw.limit_in_bytes"))
    return write_limit("memory.memsw.limit_in_bytes", std::to_string(plan_.limit_bytes));
  return write_limit("memory.swappiness", "0");
}

}  // namespace fathom::paging
