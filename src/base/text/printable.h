// Names of files, jobs, disks and whatever else comes from outside may hold any bytes, and a terminal obeys some of
// them. Here they are made harmless: control characters (C0, DEL, C1) and bytes that are no UTF-8 are shown escaped, as
// `\x1b`; what is left draws characters and does nothing else. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace fathom::base::text {

// Length of the well-formed UTF-8 sequence at the start of s, 0 if there is none.
std::size_t utf8_length(std::string_view s);

// A name or a sentence: one line, whatever it holds.
std::string printable(std::string_view text);
// A text of ours that holds such names: its newlines and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace fathom::base::text
