// Journals of runs that have ended, and what living runs have given up. They are undone under the lock, so that two
// programs that start or end at once do it only once.
#include "paging/pressure/stale_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "paging/pressure/swap/held_signals.h"

namespace fathom::paging::pressure {
namespace {

bool makes_swap(const state::Entry& entry) {
  constexpr state::Action kMakers[] = {state::Action::zram_intent, state::Action::zram, state::Action::file,
                                       state::Action::device};
  return std::find(std::begin(kMakers), std::end(kMakers), entry.action) != std::end(kMakers);
}

// For a run that has given up, only its swap is undone: a switch with the run's value may have been set by another
// user.
std::vector<state::Entry> still_to_undo(const std::vector<state::Entry>& entries) {
  if (!state::is_given_up(entries)) return entries;
  std::vector<state::Entry> swaps;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(swaps), makes_swap);
  return swaps;
}

StaleState clean_up_run(Machine& machine, const std::string& state, state::RunId run, const UndoHow& how) {
  const std::string path = state + "/" + state::run_name(run);
  const auto journal = state::parse_journal(machine.read(path).value_or(""));
  Undone undone =
      undo(machine, run, still_to_undo(journal.entries), state::entries_of_others(machine, state, run), how);
  if (undone.all()) machine.remove_file(path);
  for (const std::string& text : undone.held) undone.failed.push_back(fmt::format("{}; {}", text, kHeldRemedy));
  for (std::string& text : undone.failed) text += fmt::format(" (journal {})", path);
  StaleState stale{run.pid, std::move(undone.undone), std::move(undone.failed), std::move(undone.waiting), false};
  stale.handed_over = state::is_given_up(journal.entries) && journal.entries.back().text(0) == state::kToRuns;
  stale.undone.insert(stale.undone.end(), undone.left.begin(), undone.left.end());
  stale.undone.insert(stale.undone.end(), undone.brought.begin(), undone.brought.end());
  if (journal.not_understood > 0) {
    stale.undone.push_back(fmt::format("{} damaged lines of {} were skipped", journal.not_understood, path));
  }
  return stale;
}

bool is_over(Machine& machine, const std::string& state, state::RunId run) {
  if (!state::lives(machine, state, run)) return true;
  return state::is_given_up(
      state::parse_journal(machine.read(state + "/" + state::run_name(run)).value_or("")).entries);
}

struct StaleOf {
  state::RunId run;  // two killed runs may have had the same pid
  StaleState left;
};

// The latest look decides what still exists. Each undone action is reported once.
void add(std::vector<StaleOf>& stale, state::RunId run, StaleState now) {
  const auto same = [&](const StaleOf& l) { return l.run == run; };
  const auto before = std::find_if(stale.begin(), stale.end(), same);
  if (before == stale.end()) {
    if (!now.undone.empty() || !now.failed.empty() || !now.waiting.empty()) stale.push_back({run, std::move(now)});
    return;
  }
  for (std::string& text : now.undone) {
    auto& said = before->left.undone;
    if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(std::move(text));
  }
  before->left.failed = std::move(now.failed);
  before->left.waiting = std::move(now.waiting);
}

}  // namespace

// Runs twice if something remains: processes of a run killed now may have had pages in the swap of an earlier one.
std::vector<StaleState> clean_up_locked(Machine& machine, const std::string& state, state::RunId self,
                                        const UndoHow& how) {
  std::vector<StaleOf> stale;
  const auto once = [&] {
    for (const state::RunId run : state::runs_with_journal(machine, state)) {
      if (run != self && is_over(machine, state, run)) add(stale, run, clean_up_run(machine, state, run, how));
    }
  };
  once();
  const auto stays = [](const StaleOf& l) { return !l.left.failed.empty() || !l.left.waiting.empty(); };
  if (stale.size() > 1 && std::any_of(stale.begin(), stale.end(), stays)) once();
  std::vector<StaleState> out;
  for (StaleOf& l : stale) out.push_back(std::move(l.left));
  return out;
}

std::vector<StaleState> clean_up_on(Machine& machine, const std::string& state, bool force) {
  if (state::runs_with_journal(machine, state).empty()) return {};
  const base::system::UniqueFd lock = state::lock_state(machine, state);
  if (!lock) return {};
  const swap::HeldSignals held;
  return clean_up_locked(machine, state, {}, {force, {}});
}

std::vector<int> stale_runs_on(Machine& machine, const std::string& state) {
  std::vector<int> pids;
  for (const state::RunId run : state::runs_with_journal(machine, state))
    if (is_over(machine, state, run)) pids.push_back(run.pid);
  return pids;
}

std::vector<int> stale_runs() {
  LiveMachine machine;
  return stale_runs_on(machine, state::state_directory());
}

std::string cannot_look() {
  for (const std::string& state : {state::state_directory(), std::string(state::kStateOfRoot)})
    if (::access(state.c_str(), R_OK | X_OK) != 0 && errno != ENOENT) return base::system_error(state, errno).what;
  return {};
}

std::vector<StaleState> clean_up(bool force) {
  LiveMachine machine;
  const std::string state = state::state_directory();
  const auto id = machine.identify(state);
  if (!id || id->owner != machine.own_user()) return {};
  return clean_up_on(machine, state, force);
}

}  // namespace fathom::paging::pressure
