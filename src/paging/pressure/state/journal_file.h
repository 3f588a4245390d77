// Where journals lie and who wrote them: one file a run in the state directory, named by pid and start time. A run that
// lives is recognised by both; from another pid namespace, by the lock that it holds on its journal. What is looked at
// and then changed (adding a zram, sharing a switch, undoing) happens under the directory's lock. Thread rule: main thread.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/pressure/machine.h"
#include "paging/pressure/state/journal.h"

namespace fathom::paging::pressure::state {

inline constexpr const char* kStateOfRoot = "/run/fathom/paging";
// /run/fathom/paging for root; $XDG_RUNTIME_DIR/fathom/paging, else /tmp/fathom-UID/paging.
std::string state_directory();
// Made, 0700, ours. Errors: privilege, io, refused (somebody else could write in it).
base::Expected<void> make_state_directory(Machine& machine, const std::string& path);
base::system::UniqueFd lock_state(Machine& machine, const std::string& directory);

// Of a process that lives; nullopt otherwise.
std::optional<RunId> run_of(Machine& machine, int pid);
std::vector<RunId> runs_with_journal(Machine& machine, const std::string& directory);
bool lives(Machine& machine, const std::string& directory, RunId run);

struct OtherEntry {
  RunId run;
  Entry entry;
};
// What other living runs have written; not what they have given up.
std::vector<OtherEntry> entries_of_others(Machine& machine, const std::string& directory, RunId self);

class JournalFile {
 public:
  JournalFile(Machine& machine, const std::string& directory, RunId run)
      : machine_(machine), path_(directory + "/" + run_name(run)) {}
  // What the same run could not undo before is in it again. Only in a directory that make_state_directory() has
  // checked, under its lock. Errors: io.
  base::Expected<void> resume();
  // Before the action. Errors: io; then the action is not to be made.
  base::Expected<void> record(Action action, std::vector<std::string> fields);
  // As it is written, whoever wrote it: nothing is taken back by looking.
  std::vector<Entry> written() const;
  const std::vector<Entry>& entries() const { return entries_; }
  const std::string& path() const { return path_; }
  // All is undone: the file goes.
  void finish();

 private:
  Machine& machine_;
  std::string path_;
  std::vector<Entry> entries_;
  base::system::UniqueFd held_;  // the lock that says that this run lives
};

}  // namespace fathom::paging::pressure::state
