// Whether fathom wrote a file, in any of its formats. It checks the start of the file. An output then replaces the file
// without --force. fio's terse lines, SPDK's tables, pmbench's CSV and perf's tables start in the same way, so they
// count as fathom's too. Pure.
#pragma once
#include <string_view>

namespace fathom::cli::report_commands {

bool is_ours(std::string_view head);

}  // namespace fathom::cli::report_commands
