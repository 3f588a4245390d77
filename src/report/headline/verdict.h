// What a reader wants to know first, in six lines: what was measured, how fast it was, how sure that is, whether it can
// be believed, the worst doubt, and what to do next. No line is longer than 80 columns; what does not fit stands in full
// further below.
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report::headline {

// Names in it are as the result has them: of parts::shown(). Empty of a run that measured nothing.
// in_full: the worst finding as a sentence. by_id: its name alone, where the findings stand in full below, so that each is
// said once.
enum class Doubts { in_full, by_id };
std::string verdict(const result::Run& run, Doubts doubts = Doubts::in_full);

}  // namespace fathom::report::headline
