// The reports of a command that has text and machine-readable formats: names of formats, and writing them.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "result/stored.h"

namespace fathom::cli::report_commands {

// Rows of a command with one result.
inline constexpr options::Texts kJsonRow{"json", "", "print JSON"};
inline constexpr options::Texts kFormatRow{"output-format=LIST", "text", "text, html, json, or a comma list"};
inline constexpr options::Texts kOutputRow{
    "output o=FILE", "", "write to FILE instead of standard output; FILE.html: an HTML page, without --output-format"};
inline constexpr options::Texts kForceRow{"force", "", "overwrite a file that fathom did not write"};

// True: the output is an HTML page because of its name.
bool is_page(const Given& given);
// Formats of the command line: --output-format, else --json, else html for FILE.html, else text.
base::Expected<std::vector<std::string>> formats_asked(const Given& given, const result::Stored& kind);

// Opens the file of these rows. Errors: those of ReportFile::open().
base::Expected<void> open_output(const Given& given, ReportFile& file);

// Formats of --output-format, "text,json"; `normal` and `text` are its text. Errors: usage, with the nearest name for
// that kind.
base::Expected<std::vector<std::string>> formats_named(const std::string& list, const result::Stored& kind);
// Texts alone are fitted to a terminal, which shows the answer again below a long one. plots: those of a text.
base::Expected<void> write_reports_to(ReportFile& file, const std::vector<std::string>& formats,
                                      const result::Stored& stored, bool plots);

}  // namespace fathom::cli::report_commands
