// The state directory is on tmpfs: a reboot undoes the changes itself, so no journal is needed after it. A line needs
// no disk I/O.
#include "paging/pressure/state/journal_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace fathom::paging::pressure::state {

std::string state_directory() {
  if (::geteuid() == 0) return kStateOfRoot;
  const char* runtime = ::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): no code sets it
  if (runtime != nullptr && runtime[0] == '/') return std::string(runtime) + "/fathom/paging";
  return fmt::format("/tmp/fathom-{}/paging", ::geteuid());
}

base::Expected<void> make_state_directory(Machine& machine, const std::string& path) {
  for (const std::string& folder : {path.substr(0, path.rfind('/')), path}) {
    const int err = machine.exists(folder) ? 0 : machine.make_directory(folder);
    if (err != 0 && err != EEXIST) {
      base::Error error = base::system_error(folder + ": cannot be created", err);
      error.cause = "fathom writes its journal of changed settings there, and changes nothing without it";
      error.help =
          "make the directory writable, or omit the options that change the machine (--limit, --swap, switches)";
      return error;
    }
    const auto id = machine.identify(folder);
    constexpr std::uint32_t kOthersMayWrite = 022;
    if (!id || !S_ISDIR(id->mode) || id->owner != machine.own_user() || (id->mode & kOthersMayWrite) != 0) {
      return base::Error{base::ErrorKind::refused,
                         folder + ": not a directory that only this user can write in",
                         "fathom would undo the entries of a journal there with this user's rights",
                         "remove the directory",
                         {},
                         0};
    }
  }
  return {};
}

base::system::UniqueFd lock_state(Machine& machine, const std::string& directory) {
  return machine.lock(directory + "/lock");
}

std::optional<RunId> run_of(Machine& machine, int pid) {
  const auto stat = machine.read(fmt::format("/proc/{}/stat", pid));
  const auto start = stat ? start_of_living(*stat) : std::nullopt;
  if (!start) return std::nullopt;
  return RunId{pid, *start};
}

std::vector<RunId> runs_with_journal(Machine& machine, const std::string& directory) {
  std::vector<RunId> runs;
  for (const std::string& name : machine.list(directory)) {
    if (const auto run = parse_run_name(name)) runs.push_back(*run);
  }
  return runs;
}

// For a run in this namespace, the lock proves nothing: its forked children have inherited the lock and may outlive it.
bool lives(Machine& machine, const std::string& directory, RunId run) {
  if (run_of(machine, run.pid) == run) return true;
  const std::string path = directory + "/" + run_name(run);
  const auto entries = parse_journal(machine.read(path).value_or("")).entries;
  const auto own = [&](const Entry& e) {
    return e.action == Action::in_pids && e.number(0) == machine.own_pid_namespace();
  };
  return std::none_of(entries.begin(), entries.end(), own) && machine.is_locked(path);
}

std::vector<OtherEntry> entries_of_others(Machine& machine, const std::string& directory, RunId self) {
  std::vector<OtherEntry> others;
  for (const RunId run : runs_with_journal(machine, directory)) {
    if (run == self || !lives(machine, directory, run)) continue;
    const auto text = machine.read(directory + "/" + run_name(run));
    auto entries = parse_journal(text.value_or("")).entries;
    if (is_given_up(entries)) continue;
    for (Entry& entry : entries) others.push_back({run, std::move(entry)});
  }
  return others;
}

std::vector<Entry> JournalFile::written() const { return parse_journal(machine_.read(path_).value_or("")).entries; }

base::Expected<void> JournalFile::resume() {
  if (machine_.exists(path_)) held_ = machine_.lock(path_);
  entries_ = written();
  return is_given_up(entries_) ? record(Action::resumed, {}) : base::Expected<void>();
}

base::Expected<void> JournalFile::record(Action action, std::vector<std::string> fields) {
  std::string text;  // in one write: every journal has its first line
  if (entries_.empty()) {
    entries_.push_back({Action::in_pids, {std::to_string(machine_.own_pid_namespace())}});
    text = format_entry(entries_.back());
  }
  entries_.push_back({action, std::move(fields)});
  const int err = machine_.append(path_, text + format_entry(entries_.back()));
  if (err == 0 && !held_) held_ = machine_.lock(path_);
  if (err == 0) return {};
  return base::system_error(path_ + ": cannot be written; nothing further is changed", err);
}

void JournalFile::finish() {
  if (!entries_.empty()) machine_.remove_file(path_);
  entries_.clear();
  held_.reset();
}

}  // namespace fathom::paging::pressure::state
