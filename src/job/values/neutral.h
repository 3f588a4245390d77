// Values that ask for what is done anyway: scripts write `nice=0` and `per_job_logs=1`, which is no error though neither
// option is built. A row lists them, separated by spaces; `0` there is also `0ms` and `0k`, in a list of read, write and
// trim each part counts, and `#` is any number. Of some options more values are harmless in some jobs.
#pragma once
#include <string>
#include <string_view>

#include "job/option.h"

namespace fathom::job::values {

bool is_neutral(std::string_view values, std::string_view value);

// Of an option that is not built. nullptr: whether some job could have this value.
bool changes_nothing(const Row& option, std::string_view value, const Job* job);
// "`0`, any number": what such an option may say; empty: nothing.
std::string neutral_text(const Row& option);

}  // namespace fathom::job::values
