// What `fathom paging` shows at its end: the result in the formats that were asked for, and the exit status.
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

// 130 interrupted; 3 or 4 where a worker failed in any repetition; 4 where a finding is an error (a repetition that
// could not be made, something that was not restored); else 0.
int paging_exit_status(const result::Run& run);

}  // namespace fathom::cli::paging_commands
