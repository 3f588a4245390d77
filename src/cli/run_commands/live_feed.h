// --live=: what a program follows a run by. An object of JSON each second, to a file or, where the report has a file of
// its own, to standard output; and a text file for Prometheus, written beside its name and renamed, so that no reader finds
// half of one, and removed when the run is over unless it is to stay: a rate that no longer is would be collected for ever.
#pragma once
#include <cstdio>
#include <string>

#include "base/error.h"
#include "job/command.h"
#include "run/runner.h"

namespace fathom::cli::run_commands {

class LiveFeed {
 public:
  LiveFeed() = default;
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  base::Expected<void> open(const job::Command& command);  // before the run
  bool any() const { return json_ != nullptr || !metrics_.empty(); }
  void say(const run::Progress& p);

 private:
  base::Expected<void> open_json(const std::string& path, bool output_is_free);
  base::Expected<void> write_metrics(const std::string& text);

  std::FILE* json_ = nullptr;
  std::string metrics_;
  bool keep_metrics_ = false;
};

}  // namespace fathom::cli::run_commands
