// Where the kernel's tracepoints are described: tracefs, mounted where distributions mount it, or, where nobody has
// mounted it, a mount of our own that is attached nowhere and that only this process sees.
// Source: fsopen(2), fsmount(2), Documentation/trace/ftrace.rst. Errors: privilege, with what to do. Thread-safe.
#pragma once
#include <string>

#include "base/error.h"

namespace fathom::pmu::events {

// A folder that holds events/. "/proc/self/fd/N" for our own mount, which lasts as long as the process. `prefix` stands
// before /sys; with one nothing is mounted.
base::Expected<std::string> tracefs_root(const std::string& prefix = "");

}  // namespace fathom::pmu::events
