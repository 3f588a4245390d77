// Journals of runs that are no more: undone under the lock, so that two programs that start at once do it once.
#include "paging/pressure/leftovers.h"

#include <fmt/format.h>

#include "paging/pressure/undo.h"

namespace fathom::paging {
namespace {

Leftover clean_up_run(Machine& machine, const std::string& state, RunId run) {
  const std::string path = state + "/" + run_name(run);
  const auto journal = parse_journal(machine.read(path).value_or(""));
  Undone undone = undo(machine, run, journal.entries, entries_of_others(machine, state, run));
  if (undone.failed.empty()) machine.remove_file(path);
  for (std::string& text : undone.failed) text += fmt::format(" (journal {})", path);
  Leftover leftover{run.pid, std::move(undone.undone), std::move(undone.failed)};
  leftover.undone.insert(leftover.undone.end(), undone.left.begin(), undone.left.end());
  if (journal.not_understood > 0) {
    leftover.undone.push_back(fmt::format("{} damaged lines of {} were passed over", journal.not_understood, path));
  }
  return leftover;
}

}  // namespace

std::vector<Leftover> clean_up_on(Machine& machine, const std::string& state) {
  std::vector<Leftover> leftovers;
  if (runs_with_journal(machine, state).empty()) return leftovers;
  const base::UniqueFd lock = lock_state(machine, state);
  if (!lock) return leftovers;
  for (const RunId run : runs_with_journal(machine, state)) {
    if (lives(machine, run)) continue;
    Leftover leftover = clean_up_run(machine, state, run);
    if (!leftover.undone.empty() || !leftover.failed.empty()) leftovers.push_back(std::move(leftover));
  }
  return leftovers;
}

std::vector<Leftover> clean_up() {
  LiveMachine machine;
  const std::string state = state_directory();
  const auto id = machine.identify(state);
  if (!id || id->owner != machine.own_user()) return {};
  return clean_up_on(machine, state);
}

}  // namespace fathom::paging
