// The output of a report: standard output, or a file. The file is checked before the run, so that an error for a file
// that cannot or must not be written comes early (base/files/place.h). An older report stays until the new one is
// complete (base/files/output_file.h). No measurement is lost: if the file does not accept the text, it goes to
// standard output.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files/output_file.h"
#include "report/formats.h"

namespace fathom::cli::report_commands {

// The outputs of one command, and the files that they must not overwrite.
struct Outputs {
  base::files::NamedFiles named;  // inputs and targets first
  bool overwrite = false;         // --force, or fio's rule: any regular file
  std::string results;            // a directory of results, which no output may be in; empty: none
  base::Expected<base::files::Place> look(std::string option, std::string path);
};

// ErrorKind::refused, even with --force: the file to be overwritten is the image of a loop device
// (host/guards/guard.h).
base::Expected<void> keep_image(const base::files::Place& place);

inline bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

class ReportFile {
 public:
  // Empty path or `-`: standard output.
  base::Expected<void> open(Outputs& outputs, std::string option, std::string path);
  report::Canvas canvas() const;  // a terminal of its width, or 80 columns
  base::Expected<void> write(std::string_view text);
  bool reader_gone() const { return reader_gone_; }  // reader of standard output (cli/signals.h)
  // The same for a text for people (as_shown() of cli/terminal.h), with color if wanted.
  // closing: its first lines, repeated at the end if they have scrolled off the terminal.
  base::Expected<void> write_for_people(std::string_view text, std::string_view closing = "");

 private:
  int descriptor() const;
  base::Expected<void> write_printable(std::string_view text);

  bool to_stdout_ = true, written_ = false, reader_gone_ = false;
  base::files::Document document_;
};

}  // namespace fathom::cli::report_commands
