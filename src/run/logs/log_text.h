// The lines of logs, as fio writes them (HOWTO, "Log File Formats"): columns separated by ", ". Pure.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "io/request.h"

namespace fathom::run::logs {

// Columns of a log in addition to time, value, direction, block size and priority.
struct LogColumns {
  bool maximum = false;     // after the value
  bool offset = false;      // after the block size
  bool whole_prio = false;  // instead of 0 or 1
  bool issue_time = false;  // at the end
  bool operator==(const LogColumns&) const = default;
};

struct LogLine {
  std::uint64_t ms = 0, value = 0, maximum = 0;
  io::Dir dir = io::Dir::read;
  std::uint16_t prio = 0;
  std::uint64_t length_bytes = 0, offset_bytes = 0, issue_ns = 0;
  bool operator==(const LogLine&) const = default;
};

void append_line(const LogLine& line, const LogColumns& columns, std::string& text);

// log_hist_coarseness: each step merges two adjacent buckets.
void append_histogram_line(std::uint64_t ms, io::Dir dir, std::uint64_t length_bytes,
                           std::span<const std::uint64_t> counts, unsigned coarseness, std::string& text);

}  // namespace fathom::run::logs
