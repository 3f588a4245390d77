// --live=: live output of a command while it measures.
//   json: an object each second, to a file or, if the report goes to a file, to standard output
//   metrics: a text file for Prometheus, replaced as a whole each second, so that no reader finds half of one;
//            removed at the end unless it is to stay, since Prometheus would collect an old rate forever
//   page: a page for browsers of this machine, from a separate process (live/serve/); its address is printed
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
  // Call this first: the page's process inherits every file that is open at that time. what: its title.
  base::Expected<void> start_page(std::span<const options::Live> asked, const std::string& what);
  // Call this before the run. It checks the files and opens none. output_is_free: objects may go to standard output.
  // program: prefix of the line with the address.
  base::Expected<void> open(std::span<const options::Live> asked, report_commands::Outputs& outputs,
                            bool output_is_free, std::string_view program);
  bool any() const { return json_ || metrics_ || page_.runs(); }
  // object: a line of JSON. metrics: the whole file; empty: another process writes it.
  void say(const std::string& object, const std::string& metrics);
  // page: makes the report's HTML page; called only if there is a live page. Returns the first error of writing a file.
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
