// The status line of `fathom paging`, on standard error. On a terminal it is rewritten in place; elsewhere it appears
// only with --eta=always. A learning process uses it too.
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
  void say(const std::string& text);  // one state, "settling"; no output if the line is disabled
  void clear() { line_.clear(), lines_.clear(); }
  // Shows all events of a session; must not outlive this object. program: prefix of errors.
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
