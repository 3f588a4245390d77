// Where a report goes: standard output, or a file that is opened before the run, so that one that cannot be written is
// known early. An older report that it holds stays until the new one is there, whole: the new one is written beside it
// and takes its name in one step (rename(2)), so that whoever kills the program finds one or the other. A file that was
// made for a run that came to nothing goes again. What was measured is not lost: what the file does not take goes to
// standard output.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::cli::report_commands {

class ReportFile {
 public:
  ReportFile() = default;
  ~ReportFile();
  ReportFile(const ReportFile&) = delete;
  base::Expected<void> open(const std::string& path);  // "": standard output
  std::size_t columns() const;                         // of the terminal that it is; 0: it is none
  base::Expected<void> write(std::string_view text);
  // The same of a text whose lines may be broken: on a terminal as wide as that, and with colour where it is wanted.
  base::Expected<void> write_for_people(std::string_view text);

 private:
  base::Expected<void> write_printable(std::string_view text);
  base::Expected<void> write_first(std::string_view text);  // in place of what was there
  bool replace_old(std::string_view text);
  base::Expected<void> write_here(std::string_view text);

  std::string path_;
  bool made_ = false, written_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace fathom::cli::report_commands
