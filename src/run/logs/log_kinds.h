// The logs with one line per I/O or window: bandwidth, IOPS, three latencies. One LogKind gives the file suffix, the
// jobs that have this log, and the value in the second column. The histogram log has a different line format.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "job/fields/logs.h"
#include "run/logs/log_rows.h"
#include "run/logs/log_text.h"

namespace fathom::run::logs {

struct WindowValues {
  std::uint64_t average = 0, maximum = 0;
};

struct LogKind {
  std::string_view suffix;  // in the file's name
  std::optional<std::string> job::fields::Logs::*prefix;
  bool (*written)(const job::Job&);  // false: no file, as in fio
  bool (*has_lines)(const job::Job&);
  std::optional<std::uint64_t> (*of_io)(const IoRow&);  // empty: no line
  std::optional<WindowValues> (*of_window)(const WindowRow&);
  bool issue_times;  // log_issue_time applies; false: that column is 0
};

std::span<const LogKind> log_kinds();
inline constexpr std::string_view kHistogramSuffix = "clat_hist";

// The lines of a job's log. epoch_ms: start of the measured part by the clock of log_alternate_epoch.
std::optional<LogLine> line_of(const LogKind& kind, const IoRow& row, std::uint64_t epoch_ms);
std::optional<LogLine> line_of(const LogKind& kind, const WindowRow& row, job::fields::WindowValue value,
                               std::uint64_t epoch_ms);
LogColumns columns_of(const job::fields::Logs& logs);

// PREFIX_SUFFIX.N.log. number: the job's number, from 1.
std::string log_name(std::string_view prefix, std::string_view suffix, const job::Job& job, std::size_t number,
                     bool compressed);
// All files that a job will write.
std::vector<std::string> log_names(const job::Job& job, std::size_t number);

}  // namespace fathom::run::logs
