// Arithmetic in option values: (4k*2+512), (2*$pagesize), (1s/2). Numbers carry their units inside.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/error.h"

namespace fathom::options {

// Reads one number with its unit, e.g. base::text::parse_bytes.
using ReadNumber = std::function<base::Expected<std::uint64_t>(std::string_view)>;

// + - * / % ^ and parentheses, left to right with the usual precedence (^ binds strongest and to the right). Fractions
// are kept while computing and cut at the end. The error's `what` is the cause.
base::Expected<std::uint64_t> evaluate(std::string_view text, const ReadNumber& read_number);

}  // namespace fathom::options
