// A table with one function per action. Each first checks whether the present object is the one that the run made
// (own_swap.h).
#include "paging/pressure/undo.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/text/unit_text.h"
#include "host/proc/proc_text.h"
#include "paging/pressure/holders.h"
#include "paging/pressure/own_swap.h"
#include "paging/pressure/state/switches.h"

namespace fathom::paging::pressure {
namespace {

// A device added for an intent was created shortly before or after it: the clock of the node advances every few ms. The
// run was killed before it could write the next line.
constexpr std::uint64_t kBornBeforeNs = 50'000'000, kBornAfterNs = 10'000'000'000;
constexpr unsigned kEmptyTries = 3000, kEmptyPauseMs = 10;

struct Undoing {
  Machine& machine;
  state::RunId run;
  const std::vector<state::OtherEntry>& others;
  const UndoHow& how;
  bool zram_known = false;  // a later line has its number
  Undone out;

  void did(std::string text) { out.undone.push_back(std::move(text)); }
  void leave(std::string text) { out.left.push_back(std::move(text)); }
  bool ok(int err, const std::string& what) {
    if (err != 0) out.failed.push_back(what + ": " + std::strerror(err));
    return err == 0;
  }
};

bool swap_off(Undoing& u, const std::string& path) {
  const auto swap = active_swap_at(u.machine, path);
  if (!swap) return true;
  const std::string what = "swapoff " + swap->path;
  const SwapHolders others = look_at_holders(u.machine, *swap, living_runs(u.others));
  if (!others.no_room.empty() && !u.how.force) {
    u.out.held.push_back(fmt::format("{}: not done, the kernel would kill other processes: {}", what, others.no_room));
    return false;
  }
  if (!others.of_runs.empty() && !u.how.force) {
    u.out.waiting.push_back(
        fmt::format("{}: postponed until another run that has pages in it ends: {}", what, others.of_runs));
    return false;
  }
  const auto each_second = [&] {
    const auto now = active_swap_at(u.machine, swap->path);
    u.how.say(fmt::format("{}: {} still in it", what, base::text::size_text(now ? now->used_bytes : 0)));
  };
  const int err = u.machine.swap_off(swap->path, u.how.say ? each_second : std::function<void()>());
  if (!u.ok(err, what)) return false;
  u.did(what);
  if (others.bytes >= kWorthAWordBytes) {
    u.out.brought.push_back(fmt::format("up to {} of other processes were in {} and were read back into memory: {}",
                                        base::text::size_text(others.bytes), swap->path, holders_text(others.holders)));
  }
  return true;
}

std::vector<int> processes_in(Machine& machine, const std::string& cgroup) {
  std::vector<int> pids;
  const std::string text = machine.read(cgroup + "/cgroup.procs").value_or("");
  for (const auto line : host::proc::split_lines(text)) {
    int pid = 0;
    std::from_chars(line.data(), line.data() + line.size(), pid);
    if (pid > 0) pids.push_back(pid);
  }
  return pids;
}

void empty_cgroup(Undoing& u, const std::string& path) {
  const std::string parent = path.substr(0, path.rfind('/'));
  for (unsigned i = 0; i < kEmptyTries; ++i) {
    const auto pids = processes_in(u.machine, path);
    if (pids.empty()) return;
    for (const int pid : pids) {
      if (pid == u.machine.own_pid()) {
        u.machine.write(parent + "/cgroup.procs", std::to_string(pid));
      } else if (u.machine.kill(pid) == 0 && i == 0) {
        u.did(fmt::format("killed process {}", pid));
      }
    }
    u.machine.pause_ms(kEmptyPauseMs);
  }
}

void undo_cgroup(Undoing& u, const state::Entry& entry) {
  const std::string& path = entry.text(0);
  const std::string name = path.substr(path.rfind('/') + 1);
  const bool own = name == cgroup_name(u.run.pid) || name == leaf_name(u.run.pid);
  if (!own || !u.machine.exists(path + "/cgroup.procs")) return;
  empty_cgroup(u, path);
  const std::string what = "removed cgroup " + path;
  if (u.ok(while_busy(u.machine, [&] { return u.machine.remove_directory(path); }), "rmdir " + path)) u.did(what);
}

void undo_subtree(Undoing& u, const state::Entry& entry) {
  const std::string& path = entry.text(0);
  const std::string file = path + "/cgroup.subtree_control";
  const std::string enabled = u.machine.read(file).value_or("");
  const auto fields = host::proc::split_fields(std::string_view(enabled).substr(0, enabled.find('\n')));
  if (std::find(fields.begin(), fields.end(), "memory") == fields.end()) return;
  for (const std::string& name : u.machine.list(path)) {
    if (name.rfind("fathom-paging-", 0) == 0) return u.leave(path + ": another run uses its memory controller");
  }
  if (u.ok(u.machine.write(file, "-memory"), file + ": -memory")) u.did("memory controller off in " + path);
}

void undo_switch(Undoing& u, const state::Entry& entry) {
  const state::Switch* s = state::find_switch(entry.text(0));
  if (s == nullptr) return;
  const auto shared = [&](const state::OtherEntry& o) {
    return o.entry.action == state::Action::set_switch && o.entry.text(0) == entry.text(0);
  };
  if (std::any_of(u.others.begin(), u.others.end(), shared)) return;
  const auto now = state::read_switch(u.machine, *s);
  const std::string &old_value = entry.text(1), &new_value = entry.text(2);
  if (!now || *now == old_value) return;
  if (*now != new_value) {
    return u.leave(
        fmt::format("{} is {}, which is not the value that the run set ({}): not changed (before the run: {})", s->name,
                    *now, new_value, old_value));
  }
  const std::string what = fmt::format("{} back to {}", s->name, old_value);
  if (u.ok(u.machine.write(s->path, old_value), what)) u.did(what);
}

void remove_zram(Undoing& u, int id) {
  const std::string sysfs = fmt::format("/sys/block/zram{}", id), device = fmt::format("/dev/zram{}", id);
  if (!swap_off(u, device)) return;
  const bool empty = read_value(u.machine, sysfs + "/disksize") == "0";
  const auto reset = [&] { return u.machine.write(sysfs + "/reset", "1"); };
  if (!empty && !u.ok(while_busy(u.machine, reset), "reset " + device)) return;
  const auto remove = [&] { return u.machine.write("/sys/class/zram-control/hot_remove", std::to_string(id)); };
  if (u.ok(while_busy(u.machine, remove), "removing " + device)) u.did("removed " + device);
}

void undo_zram(Undoing& u, const state::Entry& entry) {
  u.zram_known = true;
  const auto id = static_cast<int>(entry.number(0));
  if (!u.machine.identify(fmt::format("/dev/zram{}", id))) return;
  if (is_own_swap(u.machine, entry)) return remove_zram(u, id);
  u.leave(fmt::format("/dev/zram{} no longer belongs to the run: another program uses the device, so it stays", id));
}

void undo_zram_intent(Undoing& u, const state::Entry& entry) {
  if (u.zram_known) {
    u.zram_known = false;
    return;
  }
  const auto before = entry.ids(0);
  const std::uint64_t intent_ns = entry.number(1);
  for (const int id : zram_ids(u.machine)) {
    if (std::find(before.begin(), before.end(), id) != before.end()) continue;
    const auto others_own = [&](const state::OtherEntry& o) {
      return o.entry.action == state::Action::zram && o.entry.number(0) == static_cast<std::uint64_t>(id);
    };
    if (std::any_of(u.others.begin(), u.others.end(), others_own)) continue;
    const auto node = u.machine.identify(fmt::format("/dev/zram{}", id));
    const auto size = read_value(u.machine, fmt::format("/sys/block/zram{}/disksize", id));
    if (!node || size != "0") continue;
    const bool has_birth = node->birth_ns != 0;
    if ((has_birth ? node->birth_ns : node->changed_ns) + kBornBeforeNs < intent_ns) continue;
    if (has_birth && node->birth_ns > intent_ns + kBornAfterNs) continue;
    remove_zram(u, id);
    return;
  }
}

void undo_file(Undoing& u, const state::Entry& entry) {
  const std::string& path = entry.text(0);
  if (!is_own_swap(u.machine, entry) || !swap_off(u, path)) return;
  if (u.ok(u.machine.remove_file(path), "removing " + path)) u.did("removed " + path);
}

void undo_device(Undoing& u, const state::Entry& entry) {
  const std::string& path = entry.text(0);
  if (!is_own_swap(u.machine, entry) || !swap_off(u, path) || entry.text(2) == "keep") return;
  const std::string what = "removed the swap header of " + path;
  const std::vector<std::byte> zeros(u.machine.read_page(path).size());
  if (u.ok(while_busy(u.machine, [&] { return u.machine.write_page(path, zeros); }), what)) u.did(what);
}

void undo_swap_off(Undoing& u, const state::Entry& entry) {
  const std::string& path = entry.text(0);
  if (active_swap_at(u.machine, path)) return;
  if (!u.machine.exists(path)) return u.leave(path + " no longer exists: it was swap before the run");
  const auto header = swap::parse_swap_page(u.machine.read_page(path));
  if (!header || (entry.text(2) != "keep" && header->uuid != entry.text(2))) {
    return u.leave(path + " is no longer the swap that was turned off for the run: it stays off");
  }
  int priority = -1;
  std::from_chars(entry.text(1).data(), entry.text(1).data() + entry.text(1).size(), priority);
  const std::string what = "swapon " + path;
  if (u.ok(while_busy(u.machine, [&] { return u.machine.swap_on(path, priority); }), what)) u.did(what);
}

struct UndoRow {
  state::Action action;
  void (*undo)(Undoing&, const state::Entry&);
};
constexpr UndoRow kUndo[] = {
    {state::Action::cgroup, undo_cgroup},     {state::Action::subtree, undo_subtree},
    {state::Action::set_switch, undo_switch}, {state::Action::zram_intent, undo_zram_intent},
    {state::Action::zram, undo_zram},         {state::Action::file, undo_file},
    {state::Action::device, undo_device},     {state::Action::swap_off, undo_swap_off},
};

}  // namespace

Undone undo(Machine& machine, state::RunId run, const std::vector<state::Entry>& entries,
            const std::vector<state::OtherEntry>& others, const UndoHow& how) {
  Undoing u{machine, run, others, how, false, {}};
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    for (const UndoRow& row : kUndo) {
      if (row.action == entry->action) row.undo(u, *entry);
    }
  }
  return std::move(u.out);
}

std::vector<LivingRun> living_runs(const std::vector<state::OtherEntry>& others) {
  std::vector<LivingRun> runs;
  for (const state::OtherEntry& other : others) {
    const auto same = [&](const LivingRun& run) { return run.pid == other.run.pid; };
    auto run = std::find_if(runs.begin(), runs.end(), same);
    if (run == runs.end()) run = runs.insert(run, LivingRun{other.run.pid, ""});
    if (other.entry.action == state::Action::cgroup) run->cgroup = other.entry.text(0);
  }
  return runs;
}

std::vector<swap::ActiveSwap> active_swaps(Machine& machine) {
  return swap::parse_active_swaps(machine.read("/proc/swaps").value_or(""));
}

std::optional<swap::ActiveSwap> active_swap_at(Machine& machine, const std::string& path) {
  const std::string real = machine.real_path(path).value_or(path);
  const auto wanted = machine.identify(real);
  for (swap::ActiveSwap& swap : active_swaps(machine)) {
    const auto id = swap.path == real ? wanted : machine.identify(swap.path);
    const bool same_node = wanted && id && S_ISBLK(wanted->mode) && S_ISBLK(id->mode) && id->rdev == wanted->rdev;
    const bool same_file = wanted && id && id->device == wanted->device && id->inode == wanted->inode;
    if (swap.path == path || swap.path == real || same_node || same_file) return std::move(swap);
  }
  return std::nullopt;
}

std::vector<int> zram_ids(Machine& machine) {
  std::vector<int> ids;
  constexpr std::string_view kName = "zram";
  for (const std::string& name : machine.list("/sys/block")) {
    int id = 0;
    const char* end = name.data() + name.size();
    if (name.rfind(kName, 0) != 0) continue;
    const auto [stop, err] = std::from_chars(name.data() + kName.size(), end, id);
    if (err == std::errc() && stop == end) ids.push_back(id);
  }
  return ids;
}

std::string cgroup_name(int pid) { return fmt::format("fathom-paging-{}", pid); }
std::string leaf_name(int pid) { return fmt::format("fathom-leaf-{}", pid); }

}  // namespace fathom::paging::pressure
