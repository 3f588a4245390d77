// Long work shows itself: one status line, rewritten in place, only on a terminal (or with --eta=always). fio mode
// writes it to standard output as fio does, native mode to standard error, and there, on a terminal that can go up, with
// latencies below it. What programs follow a run by is --live (live_feed.h).
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>

#include "cli/run_commands/live_feed.h"
#include "cli/run_commands/live_lines.h"
#include "host/settle.h"
#include "job/command.h"
#include "live/latency_lines.h"
#include "run/runner.h"

namespace fathom::cli::run_commands {

// The line itself, on a stream. terminal(): whether it is rewritten in place; else every text is a line of its own.
// returns: a pipe gets carriage returns too, as of fio. A new line is begun so often; 0: never.
class StatusLine {
 public:
  explicit StatusLine(std::FILE* out, bool returns = false, std::uint64_t newline_ns = 0);
  bool terminal() const { return terminal_; }
  void show(const std::string& line);
  void clear();  // takes the line away

 private:
  std::FILE* out_;
  bool terminal_, returns_;
  std::uint64_t newline_ns_, next_newline_ns_;
  std::size_t shown_ = 0;
};

class StatusPrinter {
 public:
  StatusPrinter(const job::Command& command, bool fio_mode);
  LiveFeed& feed() { return feed_; }
  std::function<void(const run::Progress&)> progress_listener();
  run::files::LayoutListener layout_listener();
  host::SettleListener settle_listener();
  // Empty: no program wants it.
  std::function<void(const run::Progress&)> second_listener();
  void clear() { line_.clear(), lines_.clear(); }

 private:
  StatusLine line_;
  LiveLines lines_;
  live::LatencyLines latencies_;
  LiveFeed feed_;
  bool several_lines_;
  bool enabled_;
  int layout_percent_ = -1;
};

}  // namespace fathom::cli::run_commands
