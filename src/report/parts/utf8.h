// Texts that come from outside (file names, host names) may hold any bytes; documents may not. Pure. What may reach a
// terminal is made harmless in base/text/printable.h.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/printable.h"

namespace fathom::report::parts {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

using base::text::utf8_length;
// Well-formed UTF-8 without the control characters that XML 1.0 does not have; what is neither becomes U+FFFD. Not
// escaped.
std::string xml_text(std::string_view text);

}  // namespace fathom::report::parts
