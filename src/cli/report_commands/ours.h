// Whether a file is one that this program wrote, in any of its formats: known by its head, so that an output replaces it without being asked twice. fio's
// terse lines, SPDK's tables, pmbench's CSV and perf's tables have the same heads: they are taken for ours. Pure.
#pragma once
#include <string_view>

namespace fathom::cli::report_commands {

bool is_ours(std::string_view head);

}  // namespace fathom::cli::report_commands
