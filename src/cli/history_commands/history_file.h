// What the actions of `fathom history` share: the option that names the file, the options of a report, and the way from
// a command line to an exit status.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/report_commands/report_file.h"
#include "cli/subcommand.h"
#include "history/store.h"
#include "options/row.h"
#include "result/stored.h"

namespace fathom::cli::history_commands {

struct HistoryWish {
  std::string file;  // empty: the usual one (history/place.h)
};
std::span<const options::Row> history_rows();  // of HistoryWish

struct ReportWish {
  std::string formats, output;  // empty: the text; standard output
  bool force = false;
};
std::span<const options::Row> report_rows();  // of ReportWish

// Errors: usage: no file is named, and there is no usual one.
base::Expected<std::string> history_path(const HistoryWish& wish);
base::Expected<history::Store> open_history(const HistoryWish& wish);

// A report in the requested formats. Opened before the history is read, written after it.
class HistoryReport {
 public:
  explicit HistoryReport(const ReportWish& wish) : wish_(wish) {}
  // history: the file of the history, which the report must not overwrite.
  base::Expected<void> open(const std::string& history);
  base::Expected<void> write(const result::Stored& stored);

 private:
  const ReportWish& wish_;
  report_commands::ReportFile file_;
};

// Prints help, usage errors and failures. Returns the exit status.
int carry_out(const Manual& manual, std::span<const std::string> args, const options::Targets& targets,
              const std::function<base::Expected<int>(const Given&)>& command);
// ErrorKind::usage: not that number of arguments.
base::Expected<void> need_arguments(const Given& given, std::size_t fewest, std::size_t most, std::string_view names);

}  // namespace fathom::cli::history_commands
