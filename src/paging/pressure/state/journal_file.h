// The journals' files and their writers: one file per run in the state directory, named by pid and start time. Both
// identify a living run; from another pid namespace, the lock that it holds on its journal does. To look and then
// change (adding a zram, sharing a switch, undoing) requires the directory's lock. Thread rule: main thread.
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
// Makes it, mode 0700, owned by this user. Errors: privilege, io, refused (another user could write in it).
base::Expected<void> make_state_directory(Machine& machine, const std::string& path);
base::system::UniqueFd lock_state(Machine& machine, const std::string& directory);

// For a living process; nullopt otherwise.
std::optional<RunId> run_of(Machine& machine, int pid);
std::vector<RunId> runs_with_journal(Machine& machine, const std::string& directory);
bool lives(Machine& machine, const std::string& directory, RunId run);

struct OtherEntry {
  RunId run;
  Entry entry;
};
// The entries of other living runs, except runs that have given up.
std::vector<OtherEntry> entries_of_others(Machine& machine, const std::string& directory, RunId self);

class JournalFile {
 public:
  JournalFile(Machine& machine, const std::string& directory, RunId run)
      : machine_(machine), path_(directory + "/" + run_name(run)) {}
  // Loads what the same run could not undo before. Call it only in a directory that make_state_directory() has checked,
  // under its lock. Errors: io.
  base::Expected<void> resume();
  // Call before the action. Errors: io; then do not perform the action.
  base::Expected<void> record(Action action, std::vector<std::string> fields);
  // The file's content, whichever process wrote it. Reading takes nothing back (Action::resumed).
  std::vector<Entry> written() const;
  const std::vector<Entry>& entries() const { return entries_; }
  const std::string& path() const { return path_; }
  // All is undone: removes the file.
  void finish();

 private:
  Machine& machine_;
  std::string path_;
  std::vector<Entry> entries_;
  base::system::UniqueFd held_;  // the lock that shows that this run lives
};

}  // namespace fathom::paging::pressure::state
