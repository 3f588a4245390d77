// Arithmetic in option values: (4k*2+512), (2*$pagesize), (1s/2). The numbers have their units inside.
// Thread rule: pure; any thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/error.h"

namespace fathom::options {

// Reads one number with its unit, e.g. base::text::parse_bytes.
using ReadNumber = std::function<base::Expected<std::uint64_t>(std::string_view)>;

// Evaluates + - * / % ^ and parentheses, left to right with the usual precedence.
// The operator ^ binds most strongly, and to the right. Fractions are kept during the computation and truncated at the
// end. Error: `what` has the cause; the caller adds option and place.
base::Expected<std::uint64_t> evaluate(std::string_view text, const ReadNumber& read_number);

}  // namespace fathom::options
