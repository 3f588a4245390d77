// What a reader wants to know first, in six lines: what was measured, how fast it was, how sure that is, whether it can
// be believed, the worst doubt, and what to do next. No line is longer than 80 columns; what does not fit stands in full
// further below.
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report::headline {

// Names in it are as the result has them: of parts::shown(). Empty of a run that measured nothing.
std::string verdict(const result::Run& run);

}  // namespace fathom::report::headline
