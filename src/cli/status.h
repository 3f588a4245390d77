// Long work shows itself: one status line, rewritten in place, only on a terminal (or with --eta=always). fio mode
// writes it to standard output as fio does, native mode to standard error.
#pragma once
#include <cstdio>
#include <string>

#include "job/command.h"
#include "run/runner.h"

namespace fathom::cli {

class StatusPrinter {
 public:
  StatusPrinter(const job::Command& command, bool fio_mode);
  std::function<void(const run::Progress&)> progress_listener();
  run::LayoutListener layout_listener();
  void clear();  // takes the line away

 private:
  void show(const std::string& line);
  std::FILE* out_;
  bool enabled_;
  bool terminal_;
  std::size_t shown_ = 0;
  int layout_percent_ = -1;
};

}  // namespace fathom::cli
