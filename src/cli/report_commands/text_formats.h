// The reports of a command that has text and machine-readable formats: names of formats, and writing them.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "result/stored.h"

namespace fathom::cli::report_commands {

// Formats of --output-format, "text,json"; `normal` and `text` are its text. Errors: usage, with the nearest name for
// that kind.
base::Expected<std::vector<std::string>> formats_named(const std::string& list, const result::Stored& kind);
// Texts alone are fitted to a terminal, which shows the answer again below a long one. plots: those of a text.
base::Expected<void> write_reports_to(ReportFile& file, const std::vector<std::string>& formats,
                                      const result::Stored& stored, bool plots);

}  // namespace fathom::cli::report_commands
