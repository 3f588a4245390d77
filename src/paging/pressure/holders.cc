// Examines the groups with a limit from the top of the hierarchy down, with the kernel's own counters. These include
// shared memory and processes that are not visible here. The processes give the names.
#include "paging/pressure/holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text/parse.h"
#include "base/text/unit_text.h"
#include "host/proc/proc_text.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/undo.h"

namespace fathom::paging::pressure {
namespace {

// Without a limit, v1 shows about 2^63.
constexpr std::uint64_t kFromHereNone = std::uint64_t{1} << 60;

struct GroupFiles {
  const char *limit, *usage, *inactive_file;
};
constexpr GroupFiles kV1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kV2 = {"/memory.max", "/memory.current", "inactive_file"};

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (err != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> number_at(Machine& machine, const std::string& path) {
  const auto text = read_value(machine, path);
  return text ? number_in(*text) : std::nullopt;
}

// In lines "key 123".
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view key) {
  for (const auto line : host::proc::split_lines(text)) {
    const auto fields = host::proc::split_fields(line);
    if (fields.size() == 2 && fields[0] == key) return number_in(fields[1]);
  }
  return std::nullopt;
}

bool is_below(const std::string& path, const std::string& top) {
  return path == top || path.rfind(top == "/" ? top : top + "/", 0) == 0;
}

std::uint64_t sum_of(const std::vector<Holder>& holders) {
  std::uint64_t bytes = 0;
  for (const Holder& h : holders) bytes += h.swapped_bytes;
  return bytes;
}

std::vector<Holder> processes_with_swap(Machine& machine, bool v2) {
  std::vector<Holder> holders;
  for (const std::string& name : machine.list("/proc")) {
    const auto pid = static_cast<int>(number_in(name).value_or(0));
    if (pid == 0 || pid == machine.own_pid() || name.find_first_not_of("0123456789") != name.npos) continue;
    const std::string status = machine.read("/proc/" + name + "/status").value_or("");
    const std::uint64_t bytes = host::proc::meminfo_bytes(status, "VmSwap");
    if (bytes == 0) continue;
    const auto cgroup = cgroup_in(machine.read("/proc/" + name + "/cgroup").value_or(""), v2);
    const auto parent = static_cast<int>(number_in(host::proc::cpuinfo_value(status, "PPid")).value_or(0));
    holders.push_back({pid, host::proc::cpuinfo_value(status, "Name"), bytes, cgroup.value_or(""), parent});
  }
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Holder& a, const Holder& b) { return a.swapped_bytes > b.swapped_bytes; });
  return holders;
}

class Look {
 public:
  Look(Machine& machine, const swap::ActiveSwap& swap, const std::vector<LivingRun>& runs)
      : machine_(machine),
        swap_(swap),
        runs_(runs),
        controller_(find_memory_controller(machine)),
        holders_(processes_with_swap(machine, controller_.v2)) {}
  SwapHolders result();

 private:
  struct Group {
    std::uint64_t limit = 0, room = 0;
    std::uint64_t swapped = 0, all_swapped = 0;  // the first: at most in this swap; the second: in any swap
    std::vector<Holder> inside;
    bool tight() const { return swapped > room; }
  };
  std::string name_of(const std::string& path) const;
  std::optional<Group> group_at(const std::string& path);
  std::vector<Holder> take_holders_of(const LivingRun& run);
  std::uint64_t swapped_by_runs_below(const std::string& name) const;
  std::string judge_run(const LivingRun& run);
  std::string judge_machine();
  std::string judge_groups(const std::string& path);
  std::string judge_group(const std::string& path);

  Machine& machine_;
  const swap::ActiveSwap& swap_;
  const std::vector<LivingRun>& runs_;
  MemoryController controller_;
  std::vector<Holder> holders_;
  std::vector<Holder> of_runs_;  // of the runs to wait for; the group of a run is one holder
};

// Memory that the machine can still move to other swap counts as room too.
std::string Look::judge_machine() {
  std::uint64_t room = host::proc::meminfo_bytes(machine_.read("/proc/meminfo").value_or(""), "MemAvailable");
  if (room == 0) return "";
  for (const swap::ActiveSwap& other : active_swaps(machine_))
    if (other.path != swap_.path) room += other.size_bytes - std::min(other.used_bytes, other.size_bytes);
  if (swap_.used_bytes <= room) return "";
  return fmt::format("the machine has room for {} of {} in it ({})", base::text::size_text(room),
                     base::text::size_text(swap_.used_bytes), holders_text(holders_));
}

// The name relative to the controller's mount point.
std::string Look::name_of(const std::string& path) const {
  const std::string& top = controller_.parents[0];
  return path.size() > top.size() ? path.substr(top.size()) : "/";
}

// The kernel drops inactive file pages before it kills a process. Other swap is not counted as room: a group at its
// limit was killed although swap was free (docs/reference/paging.md, known sources of error). nullopt: no limit applies
// there.
std::optional<Look::Group> Look::group_at(const std::string& path) {
  const GroupFiles& files = controller_.v2 ? kV2 : kV1;
  const auto limit = number_at(machine_, path + files.limit);
  const auto usage = number_at(machine_, path + files.usage);
  if (!limit || !usage || *limit >= kFromHereNone) return std::nullopt;
  Group group;
  for (const Holder& h : holders_)
    if (is_below(h.cgroup, name_of(path))) group.inside.push_back(h);
  const std::string stat = machine_.read(path + "/memory.stat").value_or("");
  const auto counted =
      controller_.v2 ? number_at(machine_, path + "/memory.swap.current") : number_of(stat, "total_swap");
  group.limit = *limit;
  const std::uint64_t of_runs = swapped_by_runs_below(name_of(path));
  group.all_swapped = counted ? *counted - std::min(*counted, of_runs) : sum_of(group.inside);
  group.swapped = std::min(group.all_swapped, swap_.used_bytes);
  const std::uint64_t kept = *usage - std::min(*usage, number_of(stat, files.inactive_file).value_or(0));
  group.room = *limit - std::min(*limit, kept);
  return group;
}

std::string Look::judge_group(const std::string& path) {
  const auto is_path = [&](const LivingRun& run) { return run.cgroup == path; };
  const auto group = group_at(path);
  if (!group || !group->tight() || std::any_of(runs_.begin(), runs_.end(), is_path)) return "";
  return fmt::format("memory cgroup {} (limit {}) has room for {} of its {} in swap ({})", name_of(path),
                     base::text::size_text(group->limit), base::text::size_text(group->room),
                     base::text::size_text(group->swapped), holders_text(group->inside));
}

// Pages of other runs in a group above theirs: this program waits for them instead of reading them back.
std::uint64_t Look::swapped_by_runs_below(const std::string& name) const {
  std::uint64_t bytes = 0;
  for (const Holder& h : of_runs_)
    if (is_below(h.cgroup, name)) bytes += h.swapped_bytes;
  return bytes;
}

// Takes the run's own processes from the list: the run itself, those that it started, and those in its group.
std::vector<Holder> Look::take_holders_of(const LivingRun& run) {
  const auto others_end = std::stable_partition(holders_.begin(), holders_.end(), [&](const Holder& h) {
    const bool in_group = controller_.found && !run.cgroup.empty() && is_below(h.cgroup, name_of(run.cgroup));
    return h.pid != run.pid && h.parent != run.pid && !in_group;
  });
  std::vector<Holder> own(others_end, holders_.end());
  holders_.erase(others_end, holders_.end());
  return own;
}

std::string Look::judge_run(const LivingRun& run) {
  const auto group = controller_.found && !run.cgroup.empty() ? group_at(run.cgroup) : std::nullopt;
  const auto own = take_holders_of(run);
  std::uint64_t bytes = std::min(sum_of(own), swap_.used_bytes);
  if (group) bytes = std::max(bytes, group->swapped);
  if (bytes < kWorthAWordBytes && !(group && group->tight())) return "";
  if (group) of_runs_.push_back({run.pid, "", group->all_swapped, name_of(run.cgroup)});
  for (const Holder& h : own)
    if (!group || !is_below(h.cgroup, name_of(run.cgroup))) of_runs_.push_back(h);
  return fmt::format("pid {} (up to {})", run.pid, base::text::size_text(bytes));
}

std::string Look::judge_groups(const std::string& path) {
  std::string found = judge_group(path);
  for (const std::string& name : machine_.list(path)) {
    const std::string below = fmt::format("{}/{}", path, name);
    if (!machine_.exists(below + "/cgroup.procs")) continue;
    const std::string in_it = judge_groups(below);
    // A group below another one without room is the more precise answer.
    if (!in_it.empty()) found = in_it;
  }
  return found;
}

SwapHolders Look::result() {
  SwapHolders out;
  for (const LivingRun& run : runs_) {
    const std::string text = judge_run(run);
    if (!text.empty()) out.of_runs += (out.of_runs.empty() ? "" : ", ") + text;
  }
  out.no_room = controller_.found ? judge_groups(controller_.parents[0]) : "";
  // A run that ends frees memory, so the machine's room is checked when it has ended.
  if (out.no_room.empty() && out.of_runs.empty()) out.no_room = judge_machine();
  out.bytes = std::min(sum_of(holders_), swap_.used_bytes);
  out.holders = std::move(holders_);
  return out;
}

}  // namespace

SwapHolders look_at_holders(Machine& machine, const swap::ActiveSwap& swap, const std::vector<LivingRun>& runs) {
  return swap.used_bytes == 0 ? SwapHolders{} : Look(machine, swap, runs).result();
}

std::string holders_text(const std::vector<Holder>& holders) {
  constexpr std::size_t kShown = 4;
  if (holders.empty()) return "of no visible process";
  std::string text;
  for (std::size_t i = 0; i < std::min(holders.size(), kShown); ++i) {
    const Holder& h = holders[i];
    text += fmt::format("{}{} (pid {}) {}", i > 0 ? ", " : "", h.name, h.pid, base::text::size_text(h.swapped_bytes));
  }
  return holders.size() > kShown ? text + fmt::format(" and {} more", holders.size() - kShown) : text;
}

}  // namespace fathom::paging::pressure
