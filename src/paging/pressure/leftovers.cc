// Journals of runs that are no more: undone under the lock, so that two programs that start at once do it once.
#include "paging/pressure/leftovers.h"

#include <fmt/format.h>

#include "paging/pressure/held_signals.h"
#include "paging/pressure/undo.h"

namespace fathom::paging {
namespace {

Leftover clean_up_run(Machine& machine, const std::string& state, RunId run, bool force) {
  const std::string path = state + "/" + run_name(run);
  const auto journal = parse_journal(machine.read(path).value_or(""));
  Undone undone = undo(machine, run, journal.entries, entries_of_others(machine, state, run), {force, {}});
  if (undone.all()) machine.remove_file(path);
  for (const std::string& text : undone.held) undone.failed.push_back(fmt::format("{}; {}", text, kHeldRemedy));
  for (std::string& text : undone.failed) text += fmt::format(" (journal {})", path);
  Leftover leftover{run.pid, std::move(undone.undone), std::move(undone.failed)};
  leftover.undone.insert(leftover.undone.end(), undone.left.begin(), undone.left.end());
  leftover.undone.insert(leftover.undone.end(), undone.brought.begin(), undone.brought.end());
  if (journal.not_understood > 0) {
    leftover.undone.push_back(fmt::format("{} damaged lines of {} were passed over", journal.not_understood, path));
  }
  return leftover;
}

}  // namespace

std::vector<Leftover> clean_up_on(Machine& machine, const std::string& state, bool force) {
  std::vector<Leftover> leftovers;
  if (runs_with_journal(machine, state).empty()) return leftovers;
  const base::UniqueFd lock = lock_state(machine, state);
  if (!lock) return leftovers;
  const HeldSignals held;
  for (const RunId run : runs_with_journal(machine, state)) {
    if (lives(machine, run)) continue;
    Leftover leftover = clean_up_run(machine, state, run, force);
    if (!leftover.undone.empty() || !leftover.failed.empty()) leftovers.push_back(std::move(leftover));
  }
  return leftovers;
}

std::vector<Leftover> clean_up(bool force) {
  LiveMachine machine;
  const std::string state = state_directory();
  const auto id = machine.identify(state);
  if (!id || id->owner != machine.own_user()) return {};
  return clean_up_on(machine, state, force);
}

}  // namespace fathom::paging
