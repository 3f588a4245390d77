// Finds tracefs, which describes the kernel's tracepoints. It is usually mounted where distributions mount it. If it is
// not mounted, a separate mount is made that is attached nowhere and that only this process sees.
// Source: fsopen(2), fsmount(2), Documentation/trace/ftrace.rst. Errors: privilege, with what to do. Thread-safe.
#pragma once
#include <string>

#include "base/error.h"

namespace fathom::pmu::events {

// The directory that contains events/. "/proc/self/fd/N" for the separate mount, which lasts as long as the process.
// `prefix` precedes /sys; with a prefix nothing is mounted.
base::Expected<std::string> tracefs_root(const std::string& prefix = "");

}  // namespace fathom::pmu::events
