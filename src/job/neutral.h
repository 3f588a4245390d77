// Values that ask for what is done anyway. A row lists them; `0` there is also `0ms` and `0k`, and in a list of read,
// write and trim each part counts.
#pragma once
#include <string_view>

namespace fathom::job {

// A number with or without a unit, or a list of such.
bool is_number(std::string_view value);

// `values`: separated by spaces; `#` is any number.
bool is_neutral(std::string_view values, std::string_view value);

}  // namespace fathom::job
