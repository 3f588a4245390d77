// Decides when a window of an averaged log ends, and computes its row. As in fio, it ends at the first completion of
// its direction log_avg_msec or more after the last mark, in whole milliseconds. The new mark is the last whole
// multiple of log_avg_msec. A direction without completions has no row until one occurs. That row gives the rate over
// the whole time since the previous row, so rate times time is always the amount moved. Pure. A window is in memory
// shared with the parent, which closes the last one.
#pragma once
#include <algorithm>
#include <cstdint>

#include "run/logs/log_rows.h"

namespace fathom::run::logs {

struct LogWindow {
  WindowRow sums;             // so far; from_ns is the end of the previous window
  std::uint64_t close_at_ns;  // 0: no I/O yet
  std::uint64_t last_ns;      // time of the last completion

  // True if this I/O ends the window: then the caller takes `sums` and calls begin_next().
  bool add(const IoRow& io, std::uint64_t window_ns) {
    ++sums.ios;
    sums.bytes += io.length_bytes;
    for (std::size_t kind = 0; kind < kLatencyKinds; ++kind) {
      if (io.latency_ns[kind] == kNoLatency) continue;
      auto& l = sums.latency[kind];
      ++l.ios;
      l.sum_ns += io.latency_ns[kind];
      l.max_ns = std::max(l.max_ns, io.latency_ns[kind]);
    }
    last_ns = io.at_ns;
    if (close_at_ns == 0) close_at_ns = window_ns;
    if (io.at_ns < close_at_ns) return false;
    sums.until_ns = io.at_ns;
    sums.dir = io.dir;
    return true;
  }
  void begin_next(std::uint64_t window_ns) {
    const std::uint64_t now_ns = sums.until_ns;
    close_at_ns = now_ns - now_ns % window_ns + window_ns;
    sums = {};
    sums.from_ns = now_ns;
  }
};

// log_hist_msec: the first completion sets the first mark, and each row sets a new one.
struct HistogramMark {
  std::uint64_t close_at_ns;  // 0: no I/O yet
  std::uint64_t last_ns;
  std::uint32_t last_length_bytes;

  bool add(const IoRow& io, std::uint64_t window_ns) {
    last_ns = io.at_ns;
    last_length_bytes = io.length_bytes;
    if (close_at_ns != 0 && io.at_ns < close_at_ns) return false;
    const bool first = close_at_ns == 0;
    close_at_ns = io.at_ns - io.at_ns % 1'000'000 + window_ns;
    return !first;
  }
};

}  // namespace fathom::run::logs
