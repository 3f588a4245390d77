// Signals of the terminal. Of a job: Ctrl-C once means stop, drain and report; twice means leave now. The flag lies in
// memory that forked workers share.
#pragma once
#include <atomic>
#include <cstdint>

#include "session/count.h"

namespace fathom::cli {

// Installs handlers for SIGINT and SIGTERM and returns their flag: 0, 1 (once), 2 (twice).
std::atomic<std::uint32_t>& install_stop_flag();
// SIGHUP and SIGQUIT raise it too: for commands that have changed the machine and must put it back.
void also_stop_on_hangup();
// SIGUSR1 asks for a report in mid-run, of whatever runs; none is asked for twice.
void install_status_signal();
bool take_status_signal();

using session::StopLevel;  // of a command that is only watched
// SIGINT and SIGTERM raise the level by one, SIGTERM to `terminate` at least. Nothing is shared with a child.
const std::atomic<StopLevel>& install_stop_levels();

// A reader that goes away is then an error of write(2) (EPIPE) and no end of this program; a command that it starts
// gets back what was.
void ignore_broken_pipes();
void restore_broken_pipes();

}  // namespace fathom::cli
