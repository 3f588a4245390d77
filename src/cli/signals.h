// Signals, the same for every command that measures:
//   INT, TERM, HUP, QUIT  first: stop, write the report, exit with 128 + signal (fio mode: 128); second: exit now
//   USR1                  report the measurements so far; the run continues
//   PIPE                  a closed reader is an error of write(2)
// If HUP and QUIT are ignored at the start (nohup), they stay ignored.
// The flag is in memory that forked workers share.
// Thread rule: the main thread. Any thread may read the flags.
#pragma once
#include <atomic>
#include <cstdint>

#include "cli/exit_codes.h"
#include "session/count.h"

namespace fathom::cli {

// Installs the handlers for the stopping signals. Returns their flag: 0, 1 (first signal), 2 (second).
std::atomic<std::uint32_t>& install_stop_flag();
// Exit status of a run that was stopped by a signal, or (130) by another cause.
int stopped_status();
// True if fathom's command exited with `status` because it was stopped.
constexpr bool is_stopped_status(int status) { return status > kFioInterrupted; }
// SIGUSR1 requests a report in mid-run. take_status_signal() returns true once per request.
void install_status_signal();
bool take_status_signal();
// For a command without reports in mid-run: SIGUSR1 does not end it.
void ignore_status_signal();

// For a command that fathom only observes.
using session::StopLevel;
// INT raises the level by one. TERM, HUP and QUIT raise it to `terminate` at least.
// A child does not share this level.
const std::atomic<StopLevel>& install_stop_levels();

// After ignore_broken_pipes(), a closed reader is an error of write(2) (EPIPE) and does not end this program.
// A command that fathom starts calls restore_broken_pipes() first, to get the earlier setting.
void ignore_broken_pipes();
void restore_broken_pipes();
// Ends the program with SIGPIPE, after all other outputs are written. Returns if SIGPIPE was ignored at the start.
void end_by_broken_pipe();

}  // namespace fathom::cli
