// The status line of `fathom paging`, on standard error: rewritten in place on a terminal, nothing elsewhere unless
// --eta=always. A learning process shows itself with it as well.
#pragma once
#include <string>

#include "cli/run_commands/status.h"
#include "job/command.h"
#include "session/paging_run.h"

namespace fathom::cli::paging_commands {

class PagingStatus {
 public:
  explicit PagingStatus(job::Eta eta);
  void say(const std::string& text);  // one state, "settling"; nothing where the line is not shown
  void clear() { line_.clear(); }
  // Shows all that a session says; lives no longer than this. program: that errors begin with.
  session::PagingListener session_listener(const std::string& program);

 private:
  run_commands::StatusLine line_;
  bool enabled_;
};

}  // namespace fathom::cli::paging_commands
