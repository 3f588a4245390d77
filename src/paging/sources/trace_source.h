// Plays a recorded trace. What reads and parses the file is a thread beside the measuring ones; the accesses reach the
// source through a ring in memory that is there, and touched, before the run. So the measuring thread faults on nothing
// of the trace's and waits for no disk; if the reader is behind, it waits between two timed pairs and counts that.
// Thread rule: refill by one thread; made and destroyed by any.
#pragma once
#include <memory>

#include "base/error.h"
#include "paging/sources/access_source.h"

namespace fathom::paging::sources {

// Every thread plays the whole trace from its begin. Errors: as scan_trace; usage where the set is smaller than the
// trace's pages.
base::Expected<std::unique_ptr<AccessSource>> make_trace_source(const PatternPlan& plan, std::uint64_t pages);
base::Expected<void> check_trace(const PatternPlan& plan, std::uint64_t pages);

}  // namespace fathom::paging::sources
