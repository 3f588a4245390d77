// Where a report goes: standard output, or a file that is looked at before the run, so that one that cannot be written, or must not, is known early
// (base/files/place.h). An older report stays until the new one is complete (base/files/output_file.h). What was measured is not lost: what the file does
// not take goes to standard output.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files/output_file.h"

namespace fathom::cli::report_commands {

// The outputs of one command, and what they must not overwrite.
struct Outputs {
  base::files::NamedFiles named;  // inputs and targets first
  bool overwrite = false;         // --force, or fio's rule: any regular file
  std::string results;            // a folder of results, in which no output may lie; empty: none
  base::Expected<base::files::Place> look(std::string option, std::string path);
};

// ErrorKind::refused: what would be overwritten is the image of a loop device (host/guards/guard.h), --force or not.
base::Expected<void> keep_image(const base::files::Place& place);

inline bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

class ReportFile {
 public:
  // Empty path or `-`: standard output.
  base::Expected<void> open(Outputs& outputs, std::string option, std::string path);
  std::size_t columns() const;  // of the terminal that it is; 0: it is none
  base::Expected<void> write(std::string_view text);
  bool reader_gone() const { return reader_gone_; }  // of standard output (cli/signals.h)
  // The same of a text whose lines may be broken: on a terminal as wide as that, and with colour where it is wanted.
  // closing: its first lines, once more at the end where they have left the terminal.
  base::Expected<void> write_for_people(std::string_view text, std::string_view closing = "");

 private:
  int descriptor() const;
  base::Expected<void> write_printable(std::string_view text);

  bool to_stdout_ = true, written_ = false, reader_gone_ = false;
  base::files::Document document_;
};

}  // namespace fathom::cli::report_commands
