// The status line of `fathom paging`, on standard error: rewritten in place on a terminal, nothing elsewhere unless
// --eta=always. A learning process shows itself with it as well.
#pragma once
#include <string>

#include "cli/run_commands/live_feed.h"
#include "cli/run_commands/live_lines.h"
#include "cli/run_commands/status.h"
#include "job/command.h"
#include "live/paging_lines.h"
#include "session/paging_run.h"

namespace fathom::cli::paging_commands {

class PagingStatus {
 public:
  explicit PagingStatus(job::Eta eta);
  run_commands::LiveFeed& feed() { return feed_; }
  void say(const std::string& text);  // one state, "settling"; nothing where the line is not shown
  void clear() { line_.clear(), lines_.clear(); }
  // Shows all that a session says; lives no longer than this. program: that errors begin with.
  session::PagingListener session_listener(const std::string& program);

 private:
  void show(const std::string& which, const paging::Progress& p, double duration_s);
  void tell_programs(const paging::Progress& p, double duration_s);

  run_commands::StatusLine line_;
  run_commands::LiveLines lines_;
  live::PagingLines accesses_;
  run_commands::LiveFeed feed_;
  std::uint64_t told_ns_ = 0;
  bool enabled_;
};

}  // namespace fathom::cli::paging_commands
