// The output of `fathom paging` at its end: the result in the requested formats, and the exit status.
#pragma once
#include "cli/report_commands/report_file.h"
#include "paging_job/request.h"
#include "result/result.h"

namespace fathom::cli::paging_commands {

class PagingReport {
 public:
  base::Expected<void> open(report_commands::Outputs& outputs,
                            const paging_job::ReportOptions& options);  // before the run
  base::Expected<void> write(const paging_job::ReportOptions& options, const result::Run& run);

 private:
  report_commands::ReportFile file_, xml_, page_;
};

// 128 + signal or 130: interrupted. 3 or 4: a worker failed in any repetition. 4: a finding is an error (a repetition
// that could not run, a setting that was not restored). Otherwise 0.
int paging_exit_status(const result::Run& run);

}  // namespace fathom::cli::paging_commands
