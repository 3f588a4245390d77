// Writes the reports, and computes the exit status.
#include "cli/paging_commands/paging_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/text/printable.h"
#include "cli/exit_codes.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "report/formats.h"
#include "report/normal.h"
#include "report/paging_formats.h"

namespace fathom::cli::paging_commands {

base::Expected<void> PagingReport::open(report_commands::Outputs& outputs, const paging_job::ReportOptions& options) {
  if (auto ok = file_.open(outputs, "--output", options.output); !ok) return ok;
  if (!options.page_file.empty())
    if (auto ok = page_.open(outputs, "--report", options.page_file); !ok) return ok;
  return options.xml_file.empty() ? base::Expected<void>{} : xml_.open(outputs, "--file", options.xml_file);
}

base::Expected<void> PagingReport::write(const paging_job::ReportOptions& options, const result::Run& run) {
  base::Expected<void> beside;  // a file that cannot be written does not prevent the others
  if (!options.xml_file.empty()) beside = xml_.write(report::pmbench_xml(run));
  if (!options.page_file.empty())
    if (auto ok = page_.write(report::run_html(run)); !ok) beside = ok;
  const auto canvas = file_.canvas();
  const std::string text = report::report_in(options.formats, run, canvas);
  const bool for_people = std::all_of(options.formats.begin(), options.formats.end(), report::is_for_people);
  if (auto ok = for_people ? file_.write_for_people(text, report::brief(run, canvas.width)) : file_.write(text); !ok)
    return ok;
  for (const auto& finding : run.findings)  // also printed if the report goes to a file
    if (finding.severity == result::Severity::error && !options.output.empty())
      write_text(stderr, fmt::format("{}: {}\n", finding.id, base::text::printable(finding.evidence)));
  return beside;
}

int paging_exit_status(const result::Run& run) {
  if (run.interrupted) return stopped_status();
  for (const auto& repetition : run.repetitions)
    if (const int status = paging_exit_status(repetition); status != kOk && !is_stopped_status(status)) return status;
  for (const auto& worker : run.paging->workers)
    if (worker.error != 0) return worker.error == EPERM || worker.error == EACCES ? kPrivilege : kIoError;
  const auto failed = [](const auto& f) { return f.severity == result::Severity::error; };
  return std::any_of(run.findings.begin(), run.findings.end(), failed) ? kIoError : kOk;
}

}  // namespace fathom::cli::paging_commands
