// Reads a stored result of any kind, of fathom or another program (base/files/input_file.h).
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/input_file.h"
#include "import/pmbench/pmbench_xml.h"
#include "options/rows.h"

namespace fathom::cli::report_commands {

// For each command that reads fio's logs (import/fio/fio_log.h).
inline constexpr options::Texts kLogColumnsRow{
    "log-columns=NAMES", "",
    "columns of fio's logs, to override detection: ms,value,max,ddir,bs,offset,prio,issue, as far as present"};

// `-` is standard input. ErrorKind::usage: no file, or larger than any result.
inline base::Expected<std::string> read_result_file(const std::string& path) {
  return base::files::read_input("result", path, import::pmbench::kMostReportBytes);
}

// The .json and .xml files in a directory, by name. Errors: io; usage: the directory has no such file.
base::Expected<std::vector<std::string>> results_in(const std::string& directory);

}  // namespace fathom::cli::report_commands
