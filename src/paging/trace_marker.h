// tracefs' trace_marker, into which a process writes a line that then stands in the kernel's trace at its time.
// Source: Documentation/trace/ftrace.rst, fsopen(2).
#pragma once
#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::paging {

// Open for writing, at one of the places where it is mounted or, where nobody mounted it, in a mount of our own that is
// attached nowhere. Errors: privilege, io.
base::Expected<base::system::UniqueFd> open_trace_marker();

}  // namespace fathom::paging
