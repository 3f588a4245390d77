// The kinds of logs with a line for each I/O or window: bandwidth, IOPS, three latencies. A row says what its files are
// called, whether a job has it, and what stands in its second column. The histogram log has lines of its own.
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
  std::string_view suffix;  // of the file's name
  std::optional<std::string> job::fields::Logs::*prefix;
  bool (*written)(const job::Job&);  // else there is no file, as in fio
  bool (*has_lines)(const job::Job&);
  std::optional<std::uint64_t> (*of_io)(const IoRow&);  // none: no line
  std::optional<WindowValues> (*of_window)(const WindowRow&);
  bool issue_times;  // log_issue_time; else that column is 0
};

std::span<const LogKind> log_kinds();
inline constexpr std::string_view kHistogramSuffix = "clat_hist";

// The lines of a job's log; epoch_ms of log_alternate_epoch's clock.
std::optional<LogLine> line_of(const LogKind& kind, const IoRow& row, std::uint64_t epoch_ms);
std::optional<LogLine> line_of(const LogKind& kind, const WindowRow& row, job::fields::WindowValue value,
                               std::uint64_t epoch_ms);
LogColumns columns_of(const job::fields::Logs& logs);

// PREFIX_SUFFIX.N.log. number: of the job, from 1.
std::string log_name(std::string_view prefix, std::string_view suffix, const job::Job& job, std::size_t number,
                     bool compressed);
// Every file that a job will write.
std::vector<std::string> log_names(const job::Job& job, std::size_t number);

}  // namespace fathom::run::logs
