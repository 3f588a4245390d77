// --live=: what follows a command while it measures. An object of JSON each second, to a file or, where the report has a
// file of its own, to standard output; a text file for Prometheus, written beside its name and renamed, so that no reader
// finds half of one, and removed when all is over unless it is to stay: a rate that no longer is would be collected for
// ever; and a page for browsers of this machine, from a process of its own (live/serve/), whose address is told.
#pragma once
#include <cstdio>
#include <functional>
#include <span>
#include <string>

#include "base/error.h"
#include "live/serve/page_server.h"
#include "options/live.h"

namespace fathom::cli::run_commands {

class LiveFeed {
 public:
  LiveFeed() = default;
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  // First of all: the page's process has what is open by then. what: its title.
  base::Expected<void> start_page(std::span<const options::Live> asked, const std::string& what);
  // Before the run. output_is_free: standard output, for objects. program: that the address is told as.
  base::Expected<void> open(std::span<const options::Live> asked, bool output_is_free, std::string_view program);
  bool any() const { return json_ != nullptr || !metrics_.empty() || page_.runs(); }
  // object: a line of JSON. metrics: the whole file; empty: somebody else writes it.
  void say(const std::string& object, const std::string& metrics);
  // The report's page, for whoever looks; made only where there is a page.
  void end(const std::function<std::string()>& page);

 private:
  base::Expected<void> open_json(const std::string& path, bool output_is_free);
  base::Expected<void> write_metrics(const std::string& text);

  std::FILE* json_ = nullptr;
  std::string metrics_;
  bool keep_metrics_ = false;
  live::serve::PageServer page_;
};

}  // namespace fathom::cli::run_commands
