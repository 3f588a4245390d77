// Values that request the existing behavior. Scripts write `zone_reset_frequency=0` and `replay_no_stall=0`: this is no
// error, although neither option is supported. A row lists such values, separated by spaces. `0` there also matches
// `0ms` and `0k`. In a list for read, write and trim, each part must match. `#` is any number. Some options have
// further harmless values in some jobs.
#pragma once
#include <string>
#include <string_view>

#include "job/option.h"

namespace fathom::job::values {

bool is_neutral(std::string_view values, std::string_view value);

// For an unsupported option. job nullptr: true if the value has no effect in at least some jobs.
bool changes_nothing(const Row& option, std::string_view value, const Job* job);
// The values allowed for such an option, "`0`, any number"; empty: no value.
std::string neutral_text(const Row& option);

}  // namespace fathom::job::values
