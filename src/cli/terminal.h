// All that the program itself writes to standard output, standard error and report files: whatever name is in it, no
// byte leaves that a terminal obeys, but newline and tab (base/text/printable.h). Names inside one line are made
// harmless, newlines included, where they enter it (report/parts/shown.h, show_error.cc).
#pragma once
#include <cstddef>
#include <cstdio>
#include <string_view>

namespace fathom::cli {

// Columns of the terminal that it is, 120 at most: longer lines are not read. 0: it is none.
std::size_t terminal_columns(int fd);
// Its rows; 0: it is none, or they are not known.
std::size_t terminal_rows(int fd);
// False where the stream did not take it all; errno says why.
bool write_text(std::FILE* to, std::string_view text);
// Bytes as they are, where the user asked for no text (`--raw`).
bool write_bytes(std::FILE* to, std::string_view bytes);

}  // namespace fathom::cli
