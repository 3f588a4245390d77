// `fathom paging breakdown`: every swap in turn, and all of them again for each repetition, so that what changes with
// time (a warmer device, another load) falls on all alike. The table is the result; the runs are its repetitions.
// Thread rule: the main thread.
#pragma once
#include "base/error.h"
#include "result/result.h"
#include "session/paging_run.h"

namespace fathom::session {

// Before the first swap changes anything, all are known to be possible as far as that can be known.
base::Expected<void> check_breakdown(paging_job::Request& options);
// Errors: of a first round that could not be made. One of a later round goes to the listener and into the result, with all rounds before it.
base::Expected<result::Run> break_down(const paging_job::Request& options, PagingSession& session);

}  // namespace fathom::session
