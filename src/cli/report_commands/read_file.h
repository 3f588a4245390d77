// Reads a stored result of any kind, of fathom or another program (base/files/input_file.h).
#pragma once
#include <string>

#include "base/error.h"
#include "base/files/input_file.h"
#include "import/pmbench/pmbench_xml.h"

namespace fathom::cli::report_commands {

// `-` is standard input. ErrorKind::usage: no file, or larger than any result.
inline base::Expected<std::string> read_result_file(const std::string& path) {
  return base::files::read_input("result", path, import::pmbench::kMostReportBytes);
}

}  // namespace fathom::cli::report_commands
