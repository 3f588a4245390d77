// What is known of a DAMON that was set up, kept in a file while it is on: who set it up (pid and start time: a pid is
// given again), what was there before, and what was written, so that after a SIGKILL it is told from another user's. A
// mark that nobody else writes goes into the interval of DAMON's operations' updates, which fvaddr and paddr do not
// have (mm/damon/vaddr.c, paddr.c). Thread-safe.
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
  std::string kdamonds_before;  // what nr_kdamonds was
  std::string operations;
  int target = 0;          // observed process; 0: physical addresses
  std::uint64_t mark = 0;  // update_us of the context
  int kdamond = 0;         // its kernel thread; 0: not started yet, or not known
  bool operator==(const DamonNote&) const = default;
};
std::string format_note(const DamonNote& note);
std::optional<DamonNote> parse_note(std::string_view text);  // nothing: damaged, or not a note
// Never half written: the old one or the new one. Errors: io.
base::Expected<void> save_note(const std::string& path, const DamonNote& note);

pressure::state::RunId own_run();
bool lives(pressure::state::RunId run);  // as /proc says
std::uint64_t new_mark();

std::string kdamond_folder(const std::string& folder);  // the first kdamond's
base::Expected<void> write_damon(const std::string& path, const std::string& value);
// Whether what is set up under `folder` is what the note says; else why not. Nothing set up: not ours.
std::optional<std::string> cause_not_ours(const std::string& folder, const DamonNote& note);
// Off, and as many kdamonds as before. Errors: io.
base::Expected<void> take_down(const std::string& folder, const DamonNote& note);

}  // namespace fathom::paging::learn::observe
