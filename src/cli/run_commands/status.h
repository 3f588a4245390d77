// Shows progress: one status line, rewritten in place, only on a terminal (or with --eta=always). fio mode writes it to
// standard output as fio does. Native mode writes it to standard error, with latencies below it if the terminal can
// move the cursor up. Programs use --live to follow a run (live_feed.h).
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

// The line on a stream. terminal(): it is rewritten in place; false: each text is a separate line. A terminal breaks a
// line that is wider than itself, and then only its last row would be rewritten: the line is cut. fio's is not.
// returns: a pipe gets carriage returns too, as from fio. newline_ns: interval between new lines in ns; 0: none.
class StatusLine {
 public:
  explicit StatusLine(std::FILE* out, bool returns = false, std::uint64_t newline_ns = 0);
  bool terminal() const { return terminal_; }
  void show(const std::string& line);
  void clear();  // removes the line

 private:
  std::FILE* out_;
  bool terminal_, returns_, cuts_;
  std::uint64_t newline_ns_, next_newline_ns_;
  std::size_t shown_ = 0;
};

// Shows a text in the line, or in several lines if it is wider than a terminal that can redraw them.
void show_text(StatusLine& line, LiveLines& lines, const std::string& text);

class StatusPrinter {
 public:
  StatusPrinter(const job::Command& command, bool fio_mode);
  LiveFeed& feed() { return feed_; }
  std::function<void(const run::Progress&)> progress_listener();
  run::files::LayoutListener layout_listener();
  host::SettleListener settle_listener();
  // Empty: no program needs it.
  std::function<void(const run::Progress&)> second_listener();
  void clear() { line_.clear(), lines_.clear(); }

 private:
  void say(const std::string& text);  // one state, such as the wait for an idle machine

  StatusLine line_;
  LiveLines lines_;
  live::LatencyLines latencies_;
  LiveFeed feed_;
  bool several_lines_;
  bool enabled_;
  int layout_percent_ = -1;
};

}  // namespace fathom::cli::run_commands
