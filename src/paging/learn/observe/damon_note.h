// Describes a DAMON setup, in a file that exists while DAMON is on: its owner (pid and start time, because pids are
// reused), the settings before it, and the settings written. After a SIGKILL, these distinguish it from another user's
// setup. A unique mark is in the update interval of DAMON's operations, which fvaddr and paddr do not have
// (mm/damon/vaddr.c, paddr.c). Thread-safe.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "paging/pressure/state/journal.h"

namespace fathom::paging::learn::observe {

struct DamonNote {
  pressure::state::RunId owner;
  std::string kdamonds_before;  // previous value of nr_kdamonds
  std::string operations;
  int target = 0;          // observed process; 0: physical addresses
  std::uint64_t mark = 0;  // update_us of the context
  int kdamond = 0;         // its kernel thread; 0: not started yet, or unknown
  bool operator==(const DamonNote&) const = default;
};
std::string format_note(const DamonNote& note);
std::optional<DamonNote> parse_note(std::string_view text);  // nullopt: damaged, or not a note
// Never half written: the file has the old note or the new one. Errors: io.
base::Expected<void> save_note(const std::string& path, const DamonNote& note);

pressure::state::RunId own_run();
bool lives(pressure::state::RunId run);  // according to /proc
std::uint64_t new_mark();

std::string kdamond_folder(const std::string& folder);  // the first kdamond's
base::Expected<void> write_damon(const std::string& path, const std::string& value);
// nullopt: the setup under `folder` matches the note; otherwise why not. A missing setup does not match.
std::optional<std::string> cause_not_ours(const std::string& folder, const DamonNote& note);
// Turns DAMON off and restores the number of kdamonds. Errors: io.
base::Expected<void> take_down(const std::string& folder, const DamonNote& note);

}  // namespace fathom::paging::learn::observe
