// The cgroup of Setup. For the requirements of v2 on the parent group, see cgroup-v2.rst, "No Internal Process
// Constraint".
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/text/unit_text.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/setup.h"
#include "paging/pressure/undo.h"

namespace fathom::paging::pressure {

base::Expected<void> Setup::check_controller() {
  if (plan_.limit_bytes == 0 || find_memory_controller(machine_).found) return {};
  return base::Error{base::ErrorKind::privilege,
                     fmt::format("no limit of {} can be set", base::text::size_text(plan_.limit_bytes)),
                     "no memory cgroup is mounted here, neither version 1 nor 2",
                     "omit --limit, or boot with cgroup_enable=memory and mount -t cgroup2 none /sys/fs/cgroup",
                     {},
                     0};
}

bool Setup::keeps_from_swapping() { return plan_.swap.kind == SwapPlan::Kind::none && !active_swaps(machine_).empty(); }

base::Expected<void> Setup::make_cgroup() {
  if (plan_.limit_bytes == 0 && !keeps_from_swapping()) return {};
  const MemoryController controller = find_memory_controller(machine_);
  const std::string what = plan_.limit_bytes > 0
                               ? fmt::format("no limit of {}", base::text::size_text(plan_.limit_bytes))
                               : "pages may still be swapped: only a memory cgroup prevents swapping of a process";
  if (!controller.found) {
    not_possible("no memory cgroup is mounted here: " + what);
    return {};
  }
  const auto parents = parents_for_run(machine_, controller);
  for (const std::string& parent : parents) {
    const auto made = make_cgroup_in(parent, controller.v2);
    if (!made) return made.error();
    if (*made) return limit_cgroup(controller.v2);
  }
  const EffectiveLimit ambient = ambient_limit(machine_, controller);
  if (controller.v2 && ambient.binds()) {
    const auto made = make_cgroup_beside_leaf(parents.front());
    if (!made) return made.error();
    if (*made) return limit_cgroup(controller.v2);
  }
  if (!machine_.administrator())
    not_without_root(what);
  else
    not_possible(why_no_cgroup(ambient) + ": " + what);
  return {};
}

std::string Setup::why_no_cgroup(const EffectiveLimit& ambient) {
  if (!ambient.binds()) return "no cgroup can be created";
  return fmt::format(
      "no cgroup can be created within the limit of the memory group {}: other processes are in it, and in a group of "
      "cgroup v2 that has processes no cgroup can be created (start fathom in a separate group: systemd-run --scope)",
      ambient.group.empty() ? "/" : ambient.group);
}

// A v2 group can pass its controller down only while it has no process. If the run is the only process there, it moves
// into a leaf group. Undo moves it back (undo.cc, empty_cgroup()).
base::Expected<bool> Setup::make_cgroup_beside_leaf(const std::string& own) {
  const std::string procs = own + "/cgroup.procs", self = std::to_string(machine_.own_pid());
  const bool alone = read_value(machine_, procs) == self;
  if (!alone || !machine_.writable(procs) || !has_item(machine_, own + "/cgroup.controllers", "memory")) return false;
  const std::string leaf = own + "/" + leaf_name(run_.pid);
  {
    const base::system::UniqueFd lock = state::lock_state(machine_, state_);
    if (auto written = journal_.record(state::Action::cgroup, {leaf}); !written) return written.error();
    const int err = machine_.make_directory(leaf);
    if (err == EACCES || err == EPERM || err == EROFS) return false;
    if (err != 0) return base::system_error(leaf + ": creating the cgroup", err);
    if (const int moved = machine_.write(leaf + "/cgroup.procs", self))
      return base::system_error(leaf + ": moving into the cgroup", moved);
  }
  return make_cgroup_in(own, true);
}

base::Expected<bool> Setup::make_cgroup_in(const std::string& parent, bool v2) {
  if (!machine_.writable(parent)) return false;
  const base::system::UniqueFd lock = state::lock_state(machine_, state_);
  if (v2) {
    const auto given = give_memory_controller(parent);
    if (!given || !*given) return given;
  }
  const std::string path = parent + "/" + cgroup_name(run_.pid);
  if (auto written = journal_.record(state::Action::cgroup, {path}); !written) return written.error();
  int err = machine_.make_directory(path);
  if (err == EEXIST && machine_.remove_directory(path) == 0) err = machine_.make_directory(path);
  if (err == EACCES || err == EPERM || err == EROFS) return false;
  if (err != 0) return base::system_error(path + ": creating the cgroup", err);
  made_.cgroup_path = path;
  made_.controller = v2 ? "cgroup v2" : "cgroup v1";
  return true;
}

// Children have the controller only if the parent passes it down. All runs that rely on it write it to their journals,
// and the last of them takes it back.
base::Expected<bool> Setup::give_memory_controller(const std::string& parent) {
  const std::string control = parent + "/cgroup.subtree_control";
  if (!has_item(machine_, parent + "/cgroup.controllers", "memory")) return false;
  if (has_item(machine_, control, "memory")) {
    for (const state::OtherEntry& other : state::entries_of_others(machine_, state_, run_)) {
      if (other.entry.action != state::Action::subtree || other.entry.text(0) != parent) continue;
      if (auto written = journal_.record(state::Action::subtree, {parent}); !written) return written.error();
      break;
    }
    return true;
  }
  const bool top = !machine_.exists(parent + "/cgroup.type");
  const bool has_processes = !machine_.read(parent + "/cgroup.procs").value_or("").empty();
  if (!machine_.writable(control) || (has_processes && !top)) return false;
  if (auto written = journal_.record(state::Action::subtree, {parent}); !written) return written.error();
  return machine_.write(control, "+memory") == 0;
}

base::Expected<void> Setup::write_limit(const std::string& file, const std::string& value) {
  const std::string path = made_.cgroup_path + "/" + file;
  const int err = machine_.write(path, value);
  if (err == 0) return {};
  auto error = base::system_error(fmt::format("{}: {} cannot be set", path, value), err);
  error.help = "omit --limit, or write another limit";
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

// --swap none: the run's processes do not use the machine's swap. v1 has no separate limit for swap, only one for
// memory and swap together. If that is no larger than the memory limit, there is no room for swap. Without a limit,
// swappiness is set: the kernel follows it unless the whole machine is out of memory (cgroup-v1/memory.rst, 5.3).
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

}  // namespace fathom::paging::pressure
