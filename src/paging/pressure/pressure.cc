// A run's pressure from set-up to restore. An error during set-up and the regular end work the same way. The journal's
// entries are undone in reverse (undo.h). The journal is removed when nothing is left of it.
#include "paging/pressure/pressure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "host/proc/proc_text.h"
#include "paging/plan.h"
#include "paging/pressure/cgroup.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/setup.h"
#include "paging/pressure/stale_state.h"
#include "paging/pressure/state/switches.h"
#include "paging/pressure/swap/held_signals.h"
#include "paging/pressure/undo.h"
#include "result/findings/rows.h"
#include "result/paging.h"

namespace fathom::paging::pressure {
namespace {

using result::findings::found;

// The machine's settings during the run, read back from the machine and not taken from the plan. Thread rule: main
// thread.

result::PagingPressure pressure_facts(Machine& machine, const PressurePlan& plan, const Made& made);

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The kernel's name for a block device number: DEVNAME of its uevent.
std::string disk_name(Machine& machine, std::uint64_t device) {
  const auto path = fmt::format("/sys/dev/block/{}:{}/uevent", gnu_dev_major(device), gnu_dev_minor(device));
  const std::string text = machine.read(path).value_or("");
  constexpr std::string_view kKey = "DEVNAME=";
  for (const auto line : host::proc::split_lines(text)) {
    if (line.substr(0, kKey.size()) == kKey) return std::string(line.substr(kKey.size()));
  }
  return "";
}

void add_zram_facts(Machine& machine, result::PagingSwap& swap) {
  const std::string sysfs = "/sys/block/" + swap.disk;
  swap.compressor = host::proc::chosen(read_value(machine, sysfs + "/comp_algorithm").value_or(""));
  const std::string stat = read_value(machine, sysfs + "/mm_stat").value_or("");
  const auto fields = host::proc::split_fields(stat);
  if (fields.size() < 2) return;
  swap.stored_bytes = number(fields[0]);
  swap.compressed_bytes = number(fields[1]);
}

result::PagingSwap swap_facts(Machine& machine, const swap::ActiveSwap& active, const Made& made) {
  result::PagingSwap swap;
  const bool ours = active.path == made.swap_path;
  swap.kind = ours ? made.swap_kind : "current";
  swap.name = ours ? made.swap_name : active.path;
  swap.path = active.path;
  swap.size_bytes = active.size_bytes;
  swap.used_bytes = active.used_bytes;
  if (const auto id = machine.identify(active.path))
    swap.disk = disk_name(machine, S_ISBLK(id->mode) ? id->rdev : id->device);
  if (swap.disk.rfind("zram", 0) == 0) add_zram_facts(machine, swap);
  return swap;
}

std::uint64_t limit_now(Machine& machine, const PressurePlan& plan, const Made& made) {
  if (made.cgroup_path.empty() || plan.limit_bytes == 0) return 0;
  const char* file = made.controller == "cgroup v2" ? "/memory.max" : "/memory.limit_in_bytes";
  return number(read_value(machine, made.cgroup_path + file).value_or(""));
}

result::PagingPressure pressure_facts(Machine& machine, const PressurePlan& plan, const Made& made) {
  result::PagingPressure facts;
  facts.limit_bytes = limit_now(machine, plan, made);
  facts.controller = made.controller;
  const EffectiveLimit ambient = ambient_limit(machine, find_memory_controller(machine));
  if (ambient.tightest_bytes() != kNoLimit) {
    facts.ambient_limit_bytes = ambient.tightest_bytes();
    facts.ambient_group = ambient.group;
  }
  if (!made.kept_from_swap)
    for (const swap::ActiveSwap& active : active_swaps(machine))
      facts.swaps.push_back(swap_facts(machine, active, made));
  if (facts.swaps.empty() && plan.swap.kind == SwapPlan::Kind::none) {
    result::PagingSwap none;
    none.kind = none.name = "none";
    facts.swaps.push_back(none);
  }
  for (const state::Switch& s : state::kSwitches) {
    if (const auto value = state::read_switch(machine, s)) facts.settings.emplace_back(s.name, *value);
  }
  facts.changed = made.changed;
  for (const auto& not_possible : made.not_possible) {
    facts.not_possible.push_back(not_possible.text);
    facts.needs_privilege |= not_possible.needs_root;
  }
  return facts;
}

using Say = std::function<void(const std::string&)>;

struct Restored {
  Undone own;
  std::vector<StaleState> others;  // of runs that have ended
};

bool any_undone(const std::vector<StaleState>& others) {
  return std::any_of(others.begin(), others.end(), [](const StaleState& left) { return !left.undone.empty(); });
}

// Runs that ended earlier may have left their swap until the end of this run. Processes of a killed run are killed only
// now, and may have had pages in this run's swap.
Restored restore_all(Machine& machine, const std::string& state, state::RunId run, state::JournalFile& journal,
                     const Say& say) {
  const swap::HeldSignals held;
  const base::system::UniqueFd lock = state::lock_state(machine, state);
  const auto undo_own = [&] {
    return undo(machine, run, journal.entries(), state::entries_of_others(machine, state, run), {false, say});
  };
  const bool has_journal = !journal.entries().empty();  // otherwise the owner of the state directory was not checked
  Restored out{undo_own(), {}};
  if (out.own.all()) {
    journal.finish();
  } else if (out.own.failed.empty()) {  // if this is not written, the end of this run gives it up
    (void)journal.record(state::Action::given_up, {out.own.held.empty() ? state::kToRuns : state::kToCleanUp});
  }
  if (has_journal) out.others = clean_up_locked(machine, state, run, {false, say});
  if (out.own.all() || !out.own.failed.empty() || !any_undone(out.others)) return out;
  Undone again = undo_own();
  if (again.all()) journal.finish();
  again.left = std::move(out.own.left);
  again.brought.insert(again.brought.begin(), out.own.brought.begin(), out.own.brought.end());
  out.own = std::move(again);
  return out;
}

void add_findings(const std::vector<StaleState>& others, std::vector<result::Finding>& findings) {
  for (const StaleState& left : others) {
    const std::string of_run = fmt::format("of the run with pid {}, which has ended: ", left.pid);
    if (!left.undone.empty()) {
      findings.push_back(
          found("paging.leftovers", {.values = {{"what", fmt::format("{}{}", of_run, fmt::join(left.undone, ", "))}}}));
    }
    if (left.failed.empty()) continue;
    const std::string still = fmt::format("{}{}", of_run, fmt::join(left.failed, ", "));
    if (left.handed_over) {
      findings.push_back(found("paging.not_restored", {.variant = "of_another", .values = {{"what", still}}}));
    } else {
      findings.push_back(
          found("paging.leftovers",
                {.variant = "still", .values = {{"what", still}}, .severity = result::Severity::warning}));
    }
  }
}

class RunPressure : public Pressure {
 public:
  RunPressure(Machine& machine, std::string state, state::RunId run, PressurePlan plan, state::JournalFile journal,
              Made made)
      : machine_(machine),
        state_(std::move(state)),
        run_(run),
        plan_(std::move(plan)),
        journal_(std::move(journal)),
        made_(std::move(made)) {}
  ~RunPressure() override { RunPressure::restore({}); }
  RunPressure(const RunPressure&) = delete;
  RunPressure& operator=(const RunPressure&) = delete;

  base::Expected<void> join(int pid) override {
    if (made_.cgroup_path.empty()) return {};
    const std::string file = made_.cgroup_path + "/cgroup.procs";
    const int err = machine_.write(file, std::to_string(pid));
    if (err == 0) return {};
    auto error = base::system_error(fmt::format("{}: process {} cannot be moved there", file, pid), err);
    error.help =
        "run as root, or in a cgroup that is delegated to this user (systemd-run --user --scope -p Delegate=yes)";
    return error;
  }
  std::string cgroup_path() const override { return made_.cgroup_path; }
  OutsideGroup outside() override {
    const MemoryController controller = find_memory_controller(machine_);
    const EffectiveLimit limit = ambient_limit(machine_, controller);
    if (limit.tightest_bytes() == kNoLimit) return {};
    return {controller.parents.back(), limit.group, limit.tightest_bytes()};
  }
  result::PagingPressure facts() override { return pressure_facts(machine_, plan_, made_); }
  std::vector<result::Finding> restore(const Say& say) override;

 private:
  Machine& machine_;
  std::string state_;
  state::RunId run_;
  PressurePlan plan_;
  state::JournalFile journal_;
  Made made_;
  bool restored_ = false;
};

std::vector<result::Finding> RunPressure::restore(const Say& say) {
  std::vector<result::Finding> findings;
  if (restored_ || journal_.entries().empty() || machine_.own_pid() != run_.pid) return findings;
  restored_ = true;
  const auto [undone, others] = restore_all(machine_, state_, run_, journal_, say);
  const auto add = [&](const char* id, const std::vector<std::string>& texts, const char* variant = "") {
    for (const std::string& text : texts)
      findings.push_back(found(id, {.variant = variant, .values = {{"what", text}, {"journal", journal_.path()}}}));
  };
  add("paging.not_restored", undone.failed);
  add("paging.not_restored", undone.held, "held");
  add("paging.left_to_other_run", undone.waiting);
  add("paging.others_brought_back", undone.brought);
  add("paging.changed_by_others", undone.left);
  add_findings(others, findings);
  made_.cgroup_path.clear();
  return findings;
}

bool changes_anything(const PressurePlan& plan) {
  return plan.limit_bytes > 0 || plan.swap.kind != SwapPlan::Kind::current || plan.only || !plan.settings.empty();
}

void report_not_possible(const Made& made, std::vector<result::Finding>& findings) {
  std::string without_root, other;
  for (const auto& not_possible : made.not_possible) {
    std::string& list = not_possible.needs_root ? without_root : other;
    list += (list.empty() ? "" : "; ") + not_possible.text;
  }
  if (!without_root.empty()) {
    findings.push_back(found("paging.not_root", {.values = {{"what", without_root}}}));
  }
  if (!other.empty()) {
    findings.push_back(found("paging.not_possible", {.values = {{"what", other}}}));
  }
}

// Another run that ends may be turning off, right now, swap that an earlier repetition gave up. So this holds the lock.
base::Expected<void> check_and_resume(Machine& machine, const std::string& state, const PressurePlan& plan,
                                      Setup& setup) {
  base::system::UniqueFd lock;
  const auto take_lock = [&]() -> base::Expected<void> {
    if (auto made = state::make_state_directory(machine, state); !made) return made;
    if (!lock) lock = state::lock_state(machine, state);
    return {};
  };
  if (!setup.journal().written().empty())
    if (auto locked = take_lock(); !locked) return locked;
  if (auto fine = setup.check(); !fine || !changes_anything(plan)) return fine;
  if (auto locked = take_lock(); !locked) return locked;
  return setup.journal().resume();
}

}  // namespace

base::Expected<std::unique_ptr<Pressure>> set_up_on(Machine& machine, const std::string& state,
                                                    const PressurePlan& plan, std::vector<result::Finding>& findings,
                                                    const std::function<bool()>& stop) {
  const auto run = state::run_of(machine, machine.own_pid());
  if (!run) return base::Error{base::ErrorKind::io, "/proc cannot be read", "", "mount -t proc proc /proc", {}, 0};
  Setup setup(machine, state, *run, plan, stop);
  if (const auto resumed = check_and_resume(machine, state, plan, setup); !resumed) return resumed.error();
  if (auto made = setup.make(); !made) {
    const Undone undone = restore_all(machine, state, *run, setup.journal(), {}).own;
    base::Error error = made.error();
    for (const auto* texts : {&undone.failed, &undone.held})
      for (const std::string& text : *texts) error.cause += (error.cause.empty() ? "" : "; ") + ("not undone: " + text);
    if (!undone.failed.empty() || !undone.held.empty())
      error.help += (error.help.empty() ? "" : "; ") + std::string("then: fathom paging cleanup");
    return error;
  }
  findings.insert(findings.end(), setup.findings().begin(), setup.findings().end());
  report_not_possible(setup.made(), findings);
  std::unique_ptr<Pressure> pressure =
      std::make_unique<RunPressure>(machine, state, *run, plan, std::move(setup.journal()), std::move(setup.made()));
  return pressure;
}

base::Expected<void> check_on(Machine& machine, const std::string& state, const PressurePlan& plan) {
  const auto run = state::run_of(machine, machine.own_pid());
  return Setup(machine, state, run.value_or(state::RunId{}), plan, {}).check();
}

base::Expected<void> Pressure::check(const PressurePlan& plan) {
  LiveMachine machine;
  return check_on(machine, state::state_directory(), plan);
}

base::Expected<std::unique_ptr<Pressure>> Pressure::set_up(const PressurePlan& plan,
                                                           std::vector<result::Finding>& findings,
                                                           const std::function<bool()>& stop) {
  static LiveMachine machine;
  return set_up_on(machine, state::state_directory(), plan, findings, stop);
}

}  // namespace fathom::paging::pressure
