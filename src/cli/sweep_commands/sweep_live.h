// Live output of a sweep: the seconds of its runs, each with its run. On a terminal, a run shows its own lines. The
// current run writes the metrics file. The file is removed, if requested, after all runs have ended.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/run_commands/live_feed.h"
#include "options/live.h"

namespace fathom::cli::sweep_commands {

class SweepLive {
 public:
  explicit SweepLive(std::vector<options::Live> asked) : asked_(std::move(asked)) {}
  ~SweepLive();
  SweepLive(const SweepLive&) = delete;
  run_commands::LiveFeed& feed() { return feed_; }
  // Call this before the first run. The page must start before everything else (live_feed.h).
  base::Expected<void> start_page(const std::string& job) { return feed_.start_page(asked_, "Sweep of " + job); }
  base::Expected<void> open(report_commands::Outputs& outputs, bool output_is_free, std::string_view program);
  // Arguments of `fathom run`, for each run.
  std::vector<std::string> words() const;
  // A function to call with each second's object of the run that begins now; empty: not needed. number: from 1.
  std::function<void(const std::string&)> listener(std::size_t number, std::size_t left, const std::string& setting);

 private:
  std::vector<options::Live> asked_;
  run_commands::LiveFeed feed_;
  std::uint64_t begin_ns_ = 0;
};

}  // namespace fathom::cli::sweep_commands
