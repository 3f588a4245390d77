// Signals, the same for every command that measures:
//   INT, TERM, HUP, QUIT  once: stop, write the report, end with status 128 + signal (fio mode: 128); again: leave now
//   USR1                  a report of what was measured so far; the run goes on
//   PIPE                  a reader that goes away is an error of write(2)
// HUP and QUIT stay ignored where they were at the start (nohup). The flag lies in memory that forked workers share.
#pragma once
#include <atomic>
#include <cstdint>

#include "cli/exit_codes.h"
#include "session/count.h"

namespace fathom::cli {

// Installs the handlers of what stops, and returns their flag: 0, 1 (once), 2 (twice).
std::atomic<std::uint32_t>& install_stop_flag();
// The exit status of a run that was stopped: by a signal, or (130) by something else.
int stopped_status();
// Whether a command of ours ended with it because it was stopped.
constexpr bool is_stopped_status(int status) { return status > kFioInterrupted; }
// SIGUSR1 asks for a report in mid-run, of whatever runs; none is asked for twice.
void install_status_signal();
bool take_status_signal();
// Of a command without a report in mid-run: the signal does not end it.
void ignore_status_signal();

using session::StopLevel;  // of a command that is only watched
// INT raises the level by one; TERM, HUP and QUIT raise it to `terminate` at least. Nothing is shared with a child.
const std::atomic<StopLevel>& install_stop_levels();

// A reader that goes away is then an error of write(2) (EPIPE) and no end of this program; a command that it starts
// gets back what was.
void ignore_broken_pipes();
void restore_broken_pipes();
// Ends the program by SIGPIPE, after all other outputs are written. Returns if SIGPIPE was ignored at the start.
void end_by_broken_pipe();

}  // namespace fathom::cli
