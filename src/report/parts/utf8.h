// External texts (file names, host names) may contain any bytes; documents may not. Pure. base/text/printable.h makes
// texts safe for a terminal.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/text/printable.h"

namespace fathom::report::parts {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

using base::text::utf8_length;
// Well-formed UTF-8 without the control characters that XML 1.0 excludes; all other bytes become U+FFFD. Not escaped.
std::string xml_text(std::string_view text);
// A cell of a CSV table (RFC 4180): quoted if it contains a comma, a quote or a line end.
std::string csv_text(std::string_view text);
// One printable line, also within a table, in which no character has a meaning in GitHub's Markdown.
std::string markdown_text(std::string_view text);

}  // namespace fathom::report::parts
