// --live=: what follows a command while it measures. An object of JSON each second, to a file or, where the report has a
// file of its own, to standard output; a text file for Prometheus, replaced whole each second, so that no reader finds
// half of one, and removed at the end unless it is to stay: an old rate would be collected for ever; and a page for
// browsers of this machine, from a process of its own (live/serve/), whose address is printed.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/files/output_file.h"
#include "cli/report_commands/report_file.h"
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
  // Before the run: looks at the files, opens none. output_is_free: standard output, for objects. program: begins the line of the address.
  base::Expected<void> open(std::span<const options::Live> asked, report_commands::Outputs& outputs,
                            bool output_is_free, std::string_view program);
  bool any() const { return json_ || metrics_ || page_.runs(); }
  // object: a line of JSON. metrics: the whole file; empty: somebody else writes it.
  void say(const std::string& object, const std::string& metrics);
  // The report's page, for whoever looks; made only where there is a page. The first error of a file that could not be written.
  base::Expected<void> end(const std::function<std::string()>& page);

 private:
  void keep(base::Expected<void> done);

  std::optional<base::files::Stream> json_;
  std::optional<base::files::Document> metrics_;
  bool keep_metrics_ = false;
  std::optional<base::Error> failed_;
  live::serve::PageServer page_;
};

}  // namespace fathom::cli::run_commands
