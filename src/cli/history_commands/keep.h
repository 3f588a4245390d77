// `--keep`: stores the result of a run in a history after the run's report has been written. A failure is one error on
// standard error. It changes neither the report nor the status of a run that failed.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "result/result.h"

namespace fathom::cli::history_commands {

class Keep {
 public:
  // Before the run. file: empty: the usual one. Errors: usage, --history without --keep, or there is no usual file;
  // refused: the file is also a target or an output of the run.
  static base::Expected<Keep> plan(bool keep, const std::string& file, report_commands::Outputs& outputs);
  // Returns the run's exit status: kNotKept if `status` is kOk and the run could not be stored. fio's statuses stay.
  int after(const result::Run& run, int status, bool fio_mode, std::string_view program) const;

 private:
  std::string path_;  // empty: not wanted
};

}  // namespace fathom::cli::history_commands
