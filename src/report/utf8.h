// Texts that come from outside (file names, host names) may hold any bytes; documents may not. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::report {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the well-formed UTF-8 sequence at the start of s, 0 if there is none.
std::size_t utf8_length(std::string_view s);
// Well-formed UTF-8 without the control characters that XML 1.0 does not have; what is neither becomes U+FFFD. Not
// escaped.
std::string xml_text(std::string_view text);

}  // namespace fathom::report
