// What commands that compare runs share: the options of the verdict and the report, the report itself, and the exit
// status from the conditions.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "cli/subcommand.h"
#include "compare/comparison.h"
#include "options/row.h"

namespace fathom::cli::report_commands {

struct CompareWish {
  double margin_percent = 2;
  std::string metric, output, report, formats = "text";
  std::vector<std::string> fail_if;
  bool fail_if_unknown = false, plot = true, force = false;
};
std::span<const options::Row> compare_rows();  // of CompareWish

// Errors: usage, an unknown metric, or a text that is not a condition.
base::Expected<compare::Asked> compare_asked(const CompareWish& wish);

class CompareReport {
 public:
  explicit CompareReport(const CompareWish& wish) : wish_(wish) {}
  // Before the runs are read. Errors: usage, an unknown format; those of ReportFile.
  base::Expected<void> open(const Given& given, Outputs& outputs);
  // Returns kCheckFailed if a condition failed, else kOk.
  base::Expected<int> write(const result::Compare& found);

 private:
  const CompareWish& wish_;
  std::vector<std::string> formats_;
  ReportFile file_, page_;
};

}  // namespace fathom::cli::report_commands
