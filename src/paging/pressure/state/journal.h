// The journal of a run: each change to the machine, written before it is made.
//
// Problem: memory pressure changes what other processes use: cgroups, swap devices, kernel switches. A run can be
// killed between any two instructions, and cannot clean up then.
//
// Choice: a write-ahead log, which the next start undoes in reverse. One line is one action, and is in the file before
// the action is made. So the journal may name something that was never made, and undo detects that by asking the
// machine. The reverse cannot happen. A name proves nothing: another program may have the device or the path by now.
// Each line therefore has what makes the thing this run's own (inode, time of birth, UUID of the swap header), and undo
// (undo.h) asks the machine for it again.
//
// A line is a word and fields. A byte that could break a line or a path's meaning is written %XX. The parsed text may
// be half written or damaged: a line counts only if it is whole and every field has the form that its action requires.
// Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::paging::pressure::state {

enum class Action : std::uint8_t {
  cgroup,       // PATH: made
  subtree,      // PATH of a v2 cgroup; its children get the memory controller
  set_switch,   // NAME OLD NEW
  zram_intent,  // existing IDS, TIME: a device is about to be added
  zram,         // ID, BIRTH of its node (0: not kept here), UUID for its swap header: it is ours
  file,         // PATH DEVICE INODE BYTES: a swap file is about to get its name
  device,       // PATH RDEV UUID: swapped on; the header with this UUID is ours ("keep": it was there before)
  asked,        // PATH TEXT: the swap that is about to be made there, as requested (own_swap.h)
  swap_off,     // PATH PRIORITY UUID of its header ("keep": not read): another swap, turned off
  given_up,     // TO (kToRuns, kToCleanUp): the run, which may live, has left the rest to others
  resumed,      // the run has taken the rest back
  in_pids,      // INODE of the pid namespace of the journal's name; nothing to undo
};

struct Entry {
  Action action = Action::cgroup;
  std::vector<std::string> fields;

  const std::string& text(std::size_t i) const { return fields[i]; }
  std::uint64_t number(std::size_t i) const;  // of a numeric field
  std::vector<int> ids(std::size_t i) const;  // of a list of ids
  bool operator==(const Entry&) const = default;
};

std::string format_entry(const Entry& entry);  // with its newline
std::string id_list(const std::vector<int>& ids);

struct ParsedJournal {
  std::vector<Entry> entries;
  unsigned not_understood = 0;  // whole lines that are not ours; a last line without its end is not counted
};
ParsedJournal parse_journal(std::string_view text);
// According to the last entry.
bool is_given_up(const std::vector<Entry>& entries);
// To the end of another run that has pages in this run's swap; to the next clean-up.
inline constexpr const char *kToRuns = "runs", *kToCleanUp = "clean-up";

// Identifies a run: pids are reused, a pid with its start time is not (proc_pid_stat(5), field 22).
struct RunId {
  int pid = 0;
  std::uint64_t start_ticks = 0;
  bool operator==(const RunId&) const = default;
};
std::string run_name(RunId run);  // "1234-567890": the name of its journal
std::optional<RunId> parse_run_name(std::string_view name);
// Start time from the text of /proc/PID/stat; nullopt: the process has ended (a zombie).
std::optional<std::uint64_t> start_of_living(std::string_view stat_text);

}  // namespace fathom::paging::pressure::state
