// The order: other swaps off, ours on, switches, and last the cgroup, so that undoing in reverse first kills what still
// uses memory in it; and a v1 cgroup takes over vm.swappiness when it is made (admin-guide/cgroup-v1/memory.rst).
#include "paging/pressure/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/unit_text.h"
#include "paging/pressure/holders.h"
#include "paging/pressure/own_swap.h"
#include "paging/pressure/undo.h"

namespace fathom::paging {
namespace {

bool own_swap(SwapPlan::Kind kind) {
  return kind == SwapPlan::Kind::zram || kind == SwapPlan::Kind::file || kind == SwapPlan::Kind::device;
}

bool turns_others_off(const PressurePlan& plan) { return plan.only && plan.swap.kind != SwapPlan::Kind::current; }

}  // namespace

base::Expected<void> Setup::check() {
  if (const auto known = check_settings(machine_, plan_.settings); !known) return known;
  const bool sized = plan_.swap.kind == SwapPlan::Kind::zram || plan_.swap.kind == SwapPlan::Kind::file;
  constexpr std::uint64_t kSmallest = 1 << 20;
  if (sized && plan_.swap.size_bytes < kSmallest) {
    return base::Error{base::ErrorKind::usage,
                       fmt::format("swap of {} is too small", base::size_words(plan_.swap.size_bytes)),
                       plan_.swap.text,
                       "write 1M or more, for example --swap zram:1G",
                       {},
                       0};
  }
  if (auto able = check_controller(); !able) return able;
  if (!machine_.administrator()) return {};
  if (auto able = check_swap(); !able) return able;
  return turns_others_off(plan_) ? check_others(other_swaps()) : base::Expected<void>();
}

base::Expected<void> Setup::make() {
  using Step = base::Expected<void> (Setup::*)();
  constexpr Step kSteps[] = {&Setup::turn_other_swaps_off, &Setup::make_swap, &Setup::set_switches,
                             &Setup::make_cgroup};
  for (const Step step : kSteps) {
    if (auto done = (this->*step)(); !done) return done;
    if (stop_ && stop_()) {
      return base::Error{base::ErrorKind::io, "interrupted while pressure was set up", "", "", {}, EINTR};
    }
  }
  return {};
}

// Active ones that are not what the run itself is to use.
std::vector<ActiveSwap> Setup::other_swaps() {
  const bool device = plan_.swap.kind == SwapPlan::Kind::device;
  const auto used = device ? active_swap_at(machine_, plan_.swap.path) : swap_again();
  std::vector<ActiveSwap> others;
  for (ActiveSwap& swap : active_swaps(machine_)) {
    if (!used || used->path != swap.path) others.push_back(std::move(swap));
  }
  return others;
}

// What a living run has made stays on until it ends: without it, its numbers would be others, or it would be killed.
base::Expected<void> Setup::check_others_run(const std::vector<ActiveSwap>& swaps) {
  for (const OtherEntry& other : entries_of_others(machine_, state_, run_)) {
    const std::string path = swap_of_entry(other.entry);
    const auto is_it = [&](const ActiveSwap& swap) { return swap.path == path; };
    if (path.empty() || std::none_of(swaps.begin(), swaps.end(), is_it)) continue;
    return base::Error{base::ErrorKind::refused,
                       fmt::format("{}: not turned off: a run with pid {} uses it", path, other.run.pid),
                       "--only turns all other swap off",
                       "wait for that run, or leave --only out",
                       {},
                       0};
  }
  return {};
}

// Nobody is killed for a measurement.
base::Expected<void> Setup::check_holders(const ActiveSwap& swap) {
  const SwapHolders holders = look_at_holders(machine_, swap, living_runs(entries_of_others(machine_, state_, run_)));
  if (!holders.of_runs.empty()) {
    return base::Error{base::ErrorKind::refused,
                       fmt::format("{}: not turned off: another run has pages in it", swap.path),
                       holders.of_runs,
                       "wait for that run, or leave --only out",
                       {},
                       0};
  }
  if (holders.no_room.empty()) return {};
  return base::Error{base::ErrorKind::refused,
                     fmt::format("{}: not turned off, the kernel would kill others for it", swap.path),
                     holders.no_room,
                     "end them first, or leave --only out",
                     {},
                     0};
}

base::Expected<void> Setup::check_others(const std::vector<ActiveSwap>& swaps) {
  if (auto free = check_others_run(swaps); !free) return free;
  if (!machine_.administrator()) return {};
  for (const ActiveSwap& swap : swaps)
    if (auto room = check_holders(swap); !room) return room;
  return {};
}

// The lowest priority first: undone in reverse, the kernel hands its own (negative) ones out in the old order.
base::Expected<void> Setup::turn_other_swaps_off() {
  if (!turns_others_off(plan_)) {
    look_for_other_swaps();
    return {};
  }
  const base::UniqueFd lock = lock_state(machine_, state_);
  auto swaps = other_swaps();
  if (auto free = check_others(swaps); !free) return free;
  std::stable_sort(swaps.begin(), swaps.end(),
                   [](const ActiveSwap& a, const ActiveSwap& b) { return a.priority < b.priority; });
  for (const ActiveSwap& swap : swaps) {
    if (!machine_.administrator()) {
      not_possible(fmt::format("without root: {} stays on", swap.path));
      continue;
    }
    const auto header = parse_swap_page(machine_.read_page(swap.path));
    const std::vector<std::string> fields = {swap.path, std::to_string(swap.priority), header ? header->uuid : "keep"};
    if (auto written = journal_.record(Action::swap_off, fields); !written) return written;
    if (const int err = machine_.swap_off(swap.path, {})) {
      auto error = base::system_error(fmt::format("{}: cannot be turned off for the run", swap.path), err);
      error.cause = err == ENOMEM
                        ? fmt::format("{} lie in it and do not fit into memory", base::size_words(swap.used_bytes))
                        : "";
      error.help = "free memory, or leave --only out";
      return error;
    }
  }
  return {};
}

void Setup::look_for_other_swaps() {
  auto swaps = other_swaps();
  take_own_left(swaps);
  if (!own_swap(plan_.swap.kind)) return;
  std::string names;
  for (const ActiveSwap& swap : swaps) {
    names += fmt::format("{}{} (priority {}, {} of {} used)", names.empty() ? "" : ", ", swap.path, swap.priority,
                         base::size_words(swap.used_bytes), base::size_words(swap.size_bytes));
  }
  if (names.empty()) return;
  const bool others_run = !check_others_run(swaps).ok();
  findings_.push_back({"paging.other_swap", result::Severity::warning, "", "other swap is active: " + names,
                       others_run ? "pages may go there too: another run uses it, wait for its end"
                                  : "pages may go there too: use --only to turn it off for the run"});
}

base::Expected<void> Setup::make_swap() {
  if (!own_swap(plan_.swap.kind)) return {};
  if (plan_.swap.kind == SwapPlan::Kind::device) {
    if (const auto active = active_swap_at(machine_, plan_.swap.path)) {
      made_.swap_path = active->path;
      made_.swap_kind = "dev";
      made_.swap_name = plan_.swap.text;
      return {};
    }
  }
  if (!machine_.administrator()) {
    not_possible(fmt::format("without root: no swap {}", plan_.swap.text));
    return {};
  }
  made_.swap_kind = kind_name(plan_.swap.kind);
  made_.swap_name = plan_.swap.text;
  if (const auto again = swap_again()) return use_again(*again);
  if (plan_.swap.kind == SwapPlan::Kind::zram) return make_zram();
  return plan_.swap.kind == SwapPlan::Kind::file ? make_swap_file() : use_device();
}

base::Expected<void> Setup::set_switches() {
  for (const auto& [name, written] : plan_.settings) {
    const Switch& s = *find_switch(name);
    if (!read_switch(machine_, s)) {
      not_possible(fmt::format("{}: this kernel does not have it ({})", name, s.path));
      continue;
    }
    if (!machine_.writable(s.path)) {
      not_possible(fmt::format("without root: {} stays {}", name, *read_switch(machine_, s)));
      continue;
    }
    if (auto set = set_switch(s, written); !set) return set;
  }
  return {};
}

// Two runs may want the same value: the later of them to end then puts the first one's old value back.
base::Expected<void> Setup::set_switch(const Switch& s, const std::string& written) {
  const auto value = switch_value(machine_, s, written);
  if (!value) return value.error();
  const base::UniqueFd lock = lock_state(machine_, state_);
  std::string old_value = read_switch(machine_, s).value_or(*value);
  for (const OtherEntry& other : entries_of_others(machine_, state_, run_)) {
    if (other.entry.action != Action::set_switch || other.entry.text(0) != s.name) continue;
    if (other.entry.text(2) != *value) {
      return base::Error{
          base::ErrorKind::refused,
          fmt::format("{}={}: a run with pid {} has it set to {}", s.name, *value, other.run.pid, other.entry.text(2)),
          "it holds for the whole machine",
          "wait for that run, or use its value",
          {},
          0};
    }
    old_value = other.entry.text(1);
  }
  if (auto recorded = journal_.record(Action::set_switch, {s.name, old_value, *value}); !recorded) return recorded;
  if (read_switch(machine_, s) != *value) {
    if (const int err = machine_.write(s.path, *value)) {
      auto error = base::system_error(fmt::format("{}={} ({})", s.name, *value, s.path), err);
      if (err == EINVAL || err == ENOENT || err == ERANGE) error.kind = base::ErrorKind::usage;
      error.help = fmt::format("it is {} now; write a value that this kernel takes", old_value);
      return error;
    }
  }
  if (old_value != *value) made_.changed.emplace_back(s.name);
  const auto now = read_switch(machine_, s);
  if (now && *now != *value) return journal_.record(Action::set_switch, {s.name, old_value, *now});
  return {};
}

}  // namespace fathom::paging
