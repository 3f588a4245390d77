// Plays a recorded trace. A separate thread reads and parses the file. The accesses reach the source through a ring in
// memory that exists, and is touched, before the run. So the measuring thread takes no fault for the trace and waits
// for no disk. If the reader is behind, the measuring thread waits between two timed pairs and counts that.
// Thread rule: refill by one thread; made and destroyed by any.
#pragma once
#include <memory>

#include "base/error.h"
#include "paging/sources/access_source.h"

namespace fathom::paging::sources {

// Every thread plays the whole trace from its begin. Errors: as scan_trace; usage if the set is smaller than the
// trace's pages.
base::Expected<std::unique_ptr<AccessSource>> make_trace_source(const PatternPlan& plan, std::uint64_t pages);
base::Expected<void> check_trace(const PatternPlan& plan, std::uint64_t pages);

}  // namespace fathom::paging::sources
