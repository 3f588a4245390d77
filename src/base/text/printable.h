// Makes text from outside (names of files, jobs, disks and others) safe for a terminal. Such names may hold any bytes,
// and a terminal acts on some of them. Control characters (C0, DEL, C1) and bytes that are not valid UTF-8 are escaped
// as `\x1b`. The remaining characters only draw. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::base::text {

// Length of the well-formed UTF-8 sequence at the start of s; 0: there is no such sequence.
std::size_t utf8_length(std::string_view s);

// A name or a sentence, always in one line.
std::string printable(std::string_view text);
// A text of this program that contains such names: newlines and tabs stay.
std::string printable_lines(std::string_view text);
// The signs of this program's own texts that are not ASCII: "±" becomes "+-", "…" "...". Names keep theirs.
std::string with_ascii_signs(std::string text);

}  // namespace fathom::base::text
