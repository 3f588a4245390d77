// `fathom paging breakdown`: measures every swap in turn, and all of them again for each repetition, so that changes
// over time (a warmer device, another load) affect all alike. The table is the result; the runs are its repetitions.
// Thread rule: the main thread.
#pragma once
#include <string>

#include "base/error.h"
#include "result/result.h"
#include "session/paging_run.h"

namespace fathom::session {

// The announcement before it: how many measurements, how long each waits and measures, and the longest time of all.
std::string longest_wait(const paging_job::Request& options);
// Before the first swap changes anything, checks all as far as is possible in advance.
base::Expected<void> check_breakdown(paging_job::Request& options);
// Errors: the first round failed. The error of a later round goes to the listener and into the result, with all rounds
// before it.
base::Expected<result::Run> break_down(const paging_job::Request& options, PagingSession& session);

}  // namespace fathom::session
