// The lines of logs, as fio writes them (HOWTO, "Log File Formats"): columns behind one another with ", " between. Pure.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "io/request.h"

namespace fathom::run::logs {

// Which columns a log has beside time, value, direction, block size and priority.
struct LogColumns {
  bool maximum = false;     // behind the value
  bool offset = false;      // behind the block size
  bool whole_prio = false;  // in place of 0 or 1
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

// log_hist_coarseness: each step puts two neighbours together.
void append_histogram_line(std::uint64_t ms, io::Dir dir, std::uint64_t length_bytes,
                           std::span<const std::uint64_t> counts, unsigned coarseness, std::string& text);

}  // namespace fathom::run::logs
