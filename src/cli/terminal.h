// All output of the program: standard output, standard error and report files.
// No byte of a name reaches a terminal as a control character, except newline and tab (base/text/printable.h).
// A name within one line is escaped where it enters the line, newlines included.
// The code for this is in report/parts/shown.h and show_error.cc.
// Thread rule: as stdio; one thread at a time per stream for complete texts.
#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace fathom::cli {

// Columns of the terminal `fd`, 120 at most, since longer lines are hard to read. 80: unknown. 0: not a terminal.
std::size_t terminal_columns(int fd);
// Rows of the terminal; 0: not a terminal, or unknown.
std::size_t terminal_rows(int fd);
// False: LC_ALL, LC_CTYPE or LANG, the first one set, names a locale without UTF-8. Drawings are then ASCII.
bool draws_utf8();
// A text for people as the output `fd` shows it: printable, no line wider than a terminal, "+-" for "±" in ASCII.
std::string as_shown(int fd, std::string_view text);
// Writes `text` in printable form. False: the stream did not accept all of it, and errno has the reason.
bool write_text(std::FILE* to, std::string_view text);
// Writes `bytes` unchanged, if the user requested raw output (`--raw`). Result as above.
bool write_bytes(std::FILE* to, std::string_view bytes);

}  // namespace fathom::cli
