// A result as its texts show it: every string that may hold a name from outside on one line, control characters
// escaped (base/text/printable.h). JSON and XML have escapes of their own and take the result as it is.
#pragma once
#include "result/result.h"

namespace fathom::report::parts {

// Without the repetitions, which no text shows.
result::Run shown(const result::Run& run);

}  // namespace fathom::report::parts
