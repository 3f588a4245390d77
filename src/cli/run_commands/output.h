// The destination of reports: standard output or --output=FILE. Run errors are in every report and on standard error.
// If both are on a terminal, an error that the report states is not printed again. With fio mode's text alone, standard
// error stays empty, as in fio.
#pragma once
#include <string>
#include <utility>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "job/command.h"
#include "result/result.h"

namespace fathom::cli::run_commands {

class Output {
 public:
  // head: written before the first report.
  Output(const job::Command& command, bool fio_mode, std::string head)
      : command_(command), fio_mode_(fio_mode), head_(std::move(head)) {}
  base::Expected<void> open(
      report_commands::Outputs& outputs);  // before the run, so that an error for an unwritable report comes early
  // Writes a report in mid-run. Ignores errors: the last report has the same error and returns it.
  void write_so_far(const result::Run& run);
  base::Expected<void> write(const result::Run& run);
  bool reader_gone() const { return file_.reader_gone(); }

 private:
  base::Expected<void> write_report(const result::Run& run);

  const job::Command& command_;
  bool fio_mode_;
  std::string head_;
  report_commands::ReportFile file_, page_;  // page_: --report
  bool begun_ = false;                       // part of the output is written already
  std::string on_terminal_;                  // the last report; empty: it is not on a terminal
};

}  // namespace fathom::cli::run_commands
