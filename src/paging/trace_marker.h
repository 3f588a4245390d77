// tracefs' trace_marker: a line that a process writes there appears in the kernel's trace at that time.
// Source: Documentation/trace/ftrace.rst, fsopen(2).
#pragma once
#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::paging {

// Opens it for writing where tracefs is mounted. If tracefs is not mounted, uses a private mount that is attached
// nowhere. Errors: privilege, io.
base::Expected<base::system::UniqueFd> open_trace_marker();

}  // namespace fathom::paging
