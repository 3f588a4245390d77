// The order: other swap off, own swap on, switches, and last the cgroup. So undoing in reverse first kills what still
// uses memory in the cgroup. A v1 cgroup copies vm.swappiness when it is made (admin-guide/cgroup-v1/memory.rst).
#include "paging/pressure/setup.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/text/unit_text.h"
#include "host/mounts/mount_table.h"
#include "host/proc/proc_text.h"
#include "paging/pressure/holders.h"
#include "paging/pressure/own_swap.h"
#include "paging/pressure/swap/swap_header.h"
#include "paging/pressure/undo.h"
#include "result/findings/rows.h"

namespace fathom::paging::pressure {

// Swap of an earlier repetition may still be on, because other processes have pages in it. If this repetition requests
// the same swap, that swap is used again. A different one causes a finding: it also has the highest priority, so it
// gets a part of the pages.

namespace {

std::string used_text(const swap::ActiveSwap& swap) {
  return fmt::format("{} ({} of {} used)", swap.path, base::text::size_text(swap.used_bytes),
                     base::text::size_text(swap.size_bytes));
}

}  // namespace

std::optional<swap::ActiveSwap> Setup::swap_again() {
  if (!machine_.administrator()) return std::nullopt;
  const std::string wanted = asked_text(plan_.swap);
  for (OwnSwap& own : own_swaps_on(machine_, journal_.written()))
    if (own.asked == wanted) return std::move(own.swap);
  return std::nullopt;
}

base::Expected<void> Setup::use_again(const swap::ActiveSwap& swap) {
  made_.swap_path = swap.path;
  findings_.push_back(result::findings::found("paging.swap_taken_again", {.values = {{"swap", used_text(swap)}}}));
  return {};
}

void Setup::take_own_left(std::vector<swap::ActiveSwap>& others) {
  if (!machine_.administrator()) return;
  std::string names;
  for (const OwnSwap& own : own_swaps_on(machine_, journal_.written())) {
    const auto is_it = [&](const swap::ActiveSwap& swap) { return swap.path == own.swap.path; };
    if (std::erase_if(others, is_it) > 0) names += (names.empty() ? "" : ", ") + used_text(own.swap);
  }
  if (names.empty() || plan_.swap.kind == SwapPlan::Kind::none) return;
  findings_.push_back(result::findings::found("paging.own_swap_left", {.values = {{"names", names}}}));
}

base::Expected<void> Setup::check_own_left(const std::string& path) {
  for (const OwnSwap& own : own_swaps_on(machine_, journal_.written())) {
    if (own.swap.path != path) continue;
    return base::Error{base::ErrorKind::refused,
                       path + ": is still on, with another size",
                       "this run created the swap, and other processes have pages in it",
                       "wait for the other run, or use a separate file for each swap",
                       {},
                       0};
  }
  return {};
}

// The run's own swap: a zram device (admin-guide/blockdev/zram.rst), a file, or a block device.

namespace {

constexpr const char* kHotAdd = "/sys/class/zram-control/hot_add";

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

base::Error with_help(base::Error error, std::string help) {
  error.help = std::move(help);
  return error;
}

// "/var/tmp/../x" -> "/var/x": resolves the directory, so that the text is the same as the kernel's.
std::optional<std::string> own_name(Machine& machine, const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const auto real = machine.real_path(folder);
  if (!real || name.empty() || name == "." || name == "..") return std::nullopt;
  return (*real == "/" ? "" : *real) + "/" + name;
}

std::string file_system_of(Machine& machine, const std::string& path) {
  const auto mounts = host::mounts::parse_mountinfo(machine.read("/proc/self/mountinfo").value_or(""));
  const host::mounts::Mount* mount = host::mounts::mount_holding(mounts, path);
  return mount == nullptr ? "unknown" : mount->file_system;
}

}  // namespace

base::Expected<void> Setup::check_swap() {
  using Kind = SwapPlan::Kind;
  if (swap_again()) return {};
  if (plan_.swap.kind == Kind::zram) return check_zram();
  if (plan_.swap.kind == Kind::file) {
    const auto path = path_of_new_file();
    return path ? machine_.may_make_file(*path, plan_.swap.size_bytes) : base::Expected<void>(path.error());
  }
  if (plan_.swap.kind != Kind::device || active_swap_at(machine_, plan_.swap.path)) return {};
  const auto id = device_to_use(machine_.real_path(plan_.swap.path).value_or(plan_.swap.path));
  return id ? base::Expected<void>() : base::Expected<void>(id.error());
}

// Only a zram device lists the available compressors. Any zram device does.
base::Expected<void> Setup::check_zram() {
  if (!machine_.exists(kHotAdd)) {
    return base::Error{base::ErrorKind::privilege,
                       "zram is not available",
                       std::string(kHotAdd) + " is missing",
                       "load it with: modprobe zram; or use --swap file:PATH:SIZE",
                       {},
                       0};
  }
  if (plan_.swap.compressor.empty()) return {};
  for (const int id : zram_ids(machine_)) {
    const std::string offered = read_value(machine_, fmt::format("/sys/block/zram{}/comp_algorithm", id)).value_or("");
    if (offered.empty()) continue;
    for (const auto word : host::proc::split_fields(offered)) {
      if (word == plan_.swap.compressor || word == "[" + plan_.swap.compressor + "]") return {};
    }
    return base::Error{base::ErrorKind::usage,
                       fmt::format("zram cannot compress with {}", plan_.swap.compressor),
                       "",
                       "this kernel has: " + offered,
                       {},
                       0};
  }
  return {};
}

base::Expected<void> Setup::make_zram() {
  const swap::SwapUuid uuid = swap::random_uuid();
  const auto id = add_zram(swap::uuid_hex(uuid));
  if (!id) return id.error();
  const std::string sysfs = fmt::format("/sys/block/zram{}", *id), device = fmt::format("/dev/zram{}", *id);
  made_.swap_path = device;
  if (auto written = journal_.record(state::Action::asked, {device, asked_text(plan_.swap)}); !written) return written;
  if (auto chosen = choose_compressor(*id); !chosen) return chosen;
  const std::uint64_t size_bytes = plan_.swap.size_bytes / page_bytes() * page_bytes();
  if (const int err = machine_.write(sysfs + "/disksize", std::to_string(size_bytes))) {
    return with_help(
        base::system_error(fmt::format("{}: {} cannot be set", device, base::text::size_text(size_bytes)), err),
        "request a smaller size");
  }
  const auto page = swap::swap_page(size_bytes, page_bytes(), uuid, kLabel);
  if (const int err = while_busy(machine_, [&] { return machine_.write_page(device, page); }))
    return base::system_error(device + ": writing the swap header", err);
  return swap_on(device);
}

// The number is known only after the device exists. So the intent lists the devices that existed before.
base::Expected<int> Setup::add_zram(const std::string& uuid) {
  const base::system::UniqueFd lock = state::lock_state(machine_, state_);
  const auto before = state::id_list(zram_ids(machine_));
  if (auto written = journal_.record(state::Action::zram_intent, {before, std::to_string(machine_.now_ns())});
      !written) {
    return written.error();
  }
  const auto text = read_value(machine_, kHotAdd);
  int id = -1;
  if (text) std::from_chars(text->data(), text->data() + text->size(), id);
  if (id < 0) {
    return base::Error{base::ErrorKind::io,
                       "no further zram device could be created",
                       kHotAdd,
                       "see the kernel's log (dmesg), or use --swap file:PATH:SIZE",
                       {},
                       0};
  }
  const auto node = machine_.identify(fmt::format("/dev/zram{}", id));
  const std::uint64_t born = node ? node->birth_ns : 0;
  if (auto written = journal_.record(state::Action::zram, {std::to_string(id), std::to_string(born), uuid}); !written) {
    return written.error();
  }
  return id;
}

base::Expected<void> Setup::choose_compressor(int id) {
  if (plan_.swap.compressor.empty()) return {};
  const std::string file = fmt::format("/sys/block/zram{}/comp_algorithm", id);
  const std::string offered = read_value(machine_, file).value_or("");
  if (const int err = machine_.write(file, plan_.swap.compressor)) {
    auto error = base::system_error(fmt::format("zram cannot compress with {}", plan_.swap.compressor), err);
    error.kind = base::ErrorKind::usage;
    error.help = "this kernel has: " + offered;
    return error;
  }
  return {};
}

base::Expected<std::string> Setup::path_of_new_file() {
  const auto path = own_name(machine_, plan_.swap.path);
  if (!path) {
    return base::Error{base::ErrorKind::usage,
                       plan_.swap.path + ": the directory does not exist",
                       "",
                       "name a new file in a directory that exists",
                       {},
                       0};
  }
  if (auto left = check_own_left(*path); !left) return left.error();
  if (const auto id = machine_.identify(*path)) {
    const bool block = S_ISBLK(id->mode);
    return base::Error{
        base::ErrorKind::usage,
        *path + ": already exists",
        block ? "it is a block device"
              : "the swap file is created for the run and removed after the run; an existing file is never overwritten",
        block ? "write --swap dev:" + *path
              : "name a file that does not exist, or turn it on with swapon and use --swap current",
        {},
        0};
  }
  return *path;
}

base::Expected<void> Setup::make_swap_file() {
  const auto path = path_of_new_file();
  if (!path) return path.error();
  const std::uint64_t size_bytes = plan_.swap.size_bytes / page_bytes() * page_bytes();
  const auto page = swap::swap_page(size_bytes, page_bytes(), swap::random_uuid(), kLabel);
  const auto file = machine_.make_file(*path, size_bytes, page, stop_);
  if (!file) return file.error();
  const FileId& id = file->id;
  const std::vector<std::string> fields = {*path, std::to_string(id.device), std::to_string(id.inode),
                                           std::to_string(id.size_bytes)};
  if (auto written = journal_.record(state::Action::file, fields); !written) return written;
  if (auto asked = journal_.record(state::Action::asked, {*path, asked_text(plan_.swap)}); !asked) return asked;
  if (const int err = machine_.name_file(*file, *path))
    return base::system_error(*path + ": creating the swap file", err);
  made_.swap_path = *path;
  return swap_on(*path);
}

base::Expected<FileId> Setup::device_to_use(const std::string& path) {
  const auto id = machine_.identify(path);
  if (!id || !S_ISBLK(id->mode)) {
    return base::Error{base::ErrorKind::usage,
                       plan_.swap.path + (id ? ": not a block device" : ": does not exist"),
                       "",
                       id ? "write --swap file:PATH:SIZE for a file" : "name a block device such as /dev/nvme0n1p3",
                       {},
                       0};
  }
  if (auto free = machine_.may_claim(path); !free) return free.error();
  if (auto allowed = machine_.may_overwrite(path, plan_.allow_destructive); !allowed) return allowed.error();
  const std::uint64_t size_bytes = block_device_bytes(machine_, path);
  if (size_bytes >= swap::kSwapPagesMin * page_bytes()) return *id;
  return base::Error{base::ErrorKind::usage,
                     fmt::format("{}: {} is too small for swap", path, base::text::size_text(size_bytes)),
                     "",
                     "name a larger device",
                     {},
                     0};
}

// An existing header is kept, with the UUID that an fstab may name. A header written by this run is wiped at the end.
base::Expected<void> Setup::use_device() {
  const std::string path = machine_.real_path(plan_.swap.path).value_or(plan_.swap.path);
  const auto id = device_to_use(path);
  if (!id) return id.error();
  const std::uint64_t size_bytes = block_device_bytes(machine_, path);
  const auto header = swap::parse_swap_page(machine_.read_page(path));
  const bool keep = header && header->pages <= size_bytes / page_bytes();
  const swap::SwapUuid uuid = swap::random_uuid();
  const std::string mark = keep ? "keep" : swap::uuid_hex(uuid);
  if (auto written = journal_.record(state::Action::device, {path, std::to_string(id->rdev), mark}); !written)
    return written;
  if (!keep) {
    const auto page = swap::swap_page(size_bytes, page_bytes(), uuid, kLabel);
    const int err = while_busy(machine_, [&] { return machine_.write_page(path, page); });
    if (err != 0) return base::system_error(path + ": writing the swap header", err);
  }
  made_.swap_path = path;
  return swap_on(path);
}

base::Expected<void> Setup::swap_on(const std::string& path) {
  const int err = while_busy(machine_, [&] { return machine_.swap_on(path, swap::kSwapPriority); });
  if (err == 0) return {};
  auto error = base::system_error("swapon " + path, err);
  if (err == EINVAL) {
    error.kind = base::ErrorKind::usage;
    error.cause = fmt::format("its file system ({}) or device cannot hold swap", file_system_of(machine_, path));
    error.help = "name a file on ext4, xfs or btrfs, or use --swap zram:SIZE";
  } else if (err == EPERM) {
    error.help = "run as root; in a container, with CAP_SYS_ADMIN";
  }
  return error;
}

namespace {

bool own_swap(SwapPlan::Kind kind) {
  return kind == SwapPlan::Kind::zram || kind == SwapPlan::Kind::file || kind == SwapPlan::Kind::device;
}

bool turns_others_off(const PressurePlan& plan) { return plan.only && plan.swap.kind != SwapPlan::Kind::current; }

}  // namespace

base::Expected<void> Setup::check() {
  if (auto known = state::check_settings(machine_, plan_.settings); !known) return known;
  const bool sized = plan_.swap.kind == SwapPlan::Kind::zram || plan_.swap.kind == SwapPlan::Kind::file;
  constexpr std::uint64_t kSmallest = 1 << 20;
  if (sized && plan_.swap.size_bytes < kSmallest) {
    return base::Error{base::ErrorKind::usage,
                       fmt::format("swap of {} is too small", base::text::size_text(plan_.swap.size_bytes)),
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

// Active swap, except the one that this run is to use.
std::vector<swap::ActiveSwap> Setup::other_swaps() {
  const bool device = plan_.swap.kind == SwapPlan::Kind::device;
  const auto used = device ? active_swap_at(machine_, plan_.swap.path) : swap_again();
  std::vector<swap::ActiveSwap> others;
  for (swap::ActiveSwap& swap : active_swaps(machine_)) {
    if (!used || used->path != swap.path) others.push_back(std::move(swap));
  }
  return others;
}

// Swap made by a living run stays on until that run ends. Without it, the run's numbers would change, or the run would
// be killed.
base::Expected<void> Setup::check_others_run(const std::vector<swap::ActiveSwap>& swaps) {
  for (const state::OtherEntry& other : state::entries_of_others(machine_, state_, run_)) {
    const std::string path = swap_of_entry(other.entry);
    const auto is_it = [&](const swap::ActiveSwap& swap) { return swap.path == path; };
    if (path.empty() || std::none_of(swaps.begin(), swaps.end(), is_it)) continue;
    return base::Error{base::ErrorKind::refused,
                       fmt::format("{}: not turned off: a run with pid {} uses it", path, other.run.pid),
                       "--only turns all other swap off",
                       "wait for that run, or omit --only",
                       {},
                       0};
  }
  return {};
}

// No process may be killed for a measurement.
base::Expected<void> Setup::check_holders(const swap::ActiveSwap& swap) {
  const SwapHolders holders =
      look_at_holders(machine_, swap, living_runs(state::entries_of_others(machine_, state_, run_)));
  if (!holders.of_runs.empty()) {
    return base::Error{base::ErrorKind::refused,
                       fmt::format("{}: not turned off: another run has pages in it", swap.path),
                       holders.of_runs,
                       "wait for that run, or omit --only",
                       {},
                       0};
  }
  if (holders.no_room.empty()) return {};
  return base::Error{base::ErrorKind::refused,
                     fmt::format("{}: not turned off, the kernel would kill other processes", swap.path),
                     holders.no_room,
                     "end those processes first, or omit --only",
                     {},
                     0};
}

base::Expected<void> Setup::check_others(const std::vector<swap::ActiveSwap>& swaps) {
  if (auto free = check_others_run(swaps); !free) return free;
  if (!machine_.administrator()) return {};
  for (const swap::ActiveSwap& swap : swaps)
    if (auto room = check_holders(swap); !room) return room;
  return {};
}

// The lowest priority first. Undone in reverse, the kernel assigns its automatic (negative) priorities in the old
// order.
base::Expected<void> Setup::turn_other_swaps_off() {
  if (!turns_others_off(plan_)) {
    look_for_other_swaps();
    return {};
  }
  const base::system::UniqueFd lock = state::lock_state(machine_, state_);
  auto swaps = other_swaps();
  if (auto free = check_others(swaps); !free) return free;
  std::stable_sort(swaps.begin(), swaps.end(),
                   [](const swap::ActiveSwap& a, const swap::ActiveSwap& b) { return a.priority < b.priority; });
  for (const swap::ActiveSwap& swap : swaps) {
    if (!machine_.administrator()) {
      not_without_root(fmt::format("{} stays on", swap.path));
      continue;
    }
    const auto header = swap::parse_swap_page(machine_.read_page(swap.path));
    const std::vector<std::string> fields = {swap.path, std::to_string(swap.priority), header ? header->uuid : "keep"};
    if (auto written = journal_.record(state::Action::swap_off, fields); !written) return written;
    if (const int err = machine_.swap_off(swap.path, {})) {
      auto error = base::system_error(fmt::format("{}: cannot be turned off for the run", swap.path), err);
      error.cause = err == ENOMEM ? fmt::format("{} are in the swap and do not fit into memory",
                                                base::text::size_text(swap.used_bytes))
                                  : "";
      error.help = "free memory, or omit --only";
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
  for (const swap::ActiveSwap& swap : swaps) {
    names += fmt::format("{}{} (priority {}, {} of {} used)", names.empty() ? "" : ", ", swap.path, swap.priority,
                         base::text::size_text(swap.used_bytes), base::text::size_text(swap.size_bytes));
  }
  if (names.empty()) return;
  const bool others_run = !check_others_run(swaps).ok();
  findings_.push_back(result::findings::found(
      "paging.other_swap", {.variant = others_run ? "of_another_run" : "active", .values = {{"names", names}}}));
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
    not_without_root(fmt::format("no swap {}", plan_.swap.text));
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
    const state::Switch& s = *state::find_switch(name);
    if (!read_switch(machine_, s)) {
      not_possible(fmt::format("{}: this kernel does not have this setting ({})", name, s.path));
      continue;
    }
    if (!machine_.writable(s.path)) {
      not_without_root(fmt::format("{} stays {}", name, *read_switch(machine_, s)));
      continue;
    }
    if (auto set = set_switch(s, written); !set) return set;
  }
  return {};
}

// Two runs may request the same value. The one that ends last then restores the value from before the first one.
base::Expected<void> Setup::set_switch(const state::Switch& s, const std::string& written) {
  const auto value = state::switch_value(machine_, s, written);
  if (!value) return value.error();
  const base::system::UniqueFd lock = state::lock_state(machine_, state_);
  std::string old_value = read_switch(machine_, s).value_or(*value);
  for (const state::OtherEntry& other : state::entries_of_others(machine_, state_, run_)) {
    if (other.entry.action != state::Action::set_switch || other.entry.text(0) != s.name) continue;
    if (other.entry.text(2) != *value) {
      return base::Error{
          base::ErrorKind::refused,
          fmt::format("{}={}: a run with pid {} has it set to {}", s.name, *value, other.run.pid, other.entry.text(2)),
          "the setting applies to the whole machine",
          "wait for that run, or use its value",
          {},
          0};
    }
    old_value = other.entry.text(1);
  }
  if (auto recorded = journal_.record(state::Action::set_switch, {s.name, old_value, *value}); !recorded)
    return recorded;
  if (read_switch(machine_, s) != *value) {
    if (const int err = machine_.write(s.path, *value)) {
      auto error = base::system_error(fmt::format("{}={} ({})", s.name, *value, s.path), err);
      if (err == EINVAL || err == ENOENT || err == ERANGE) error.kind = base::ErrorKind::usage;
      error.help = fmt::format("write a value that this kernel accepts; the current value is {}", old_value);
      return error;
    }
  }
  if (old_value != *value) made_.changed.emplace_back(s.name);
  const auto now = read_switch(machine_, s);
  if (now && *now != *value) return journal_.record(state::Action::set_switch, {s.name, old_value, *now});
  return {};
}

}  // namespace fathom::paging::pressure
