// A result for text formats: every string that may contain an external name is on one line, with escaped control
// characters (base/text/printable.h). JSON and XML have their own escapes and use the result unchanged.
#pragma once
#include "result/result.h"

namespace fathom::report::parts {

// Without the repetitions, which no text shows.
result::Run shown(const result::Run& run);

}  // namespace fathom::report::parts
