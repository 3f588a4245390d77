// The process that serves the live page: it receives messages, keeps the last ones, answers browsers, and ends after
// the run. Problem at the end: a browser that shows the page should get the report, but the process should not wait for
// a closed browser. Choice: a browser that sent a request within the last three seconds counts as present, and has five
// seconds to fetch the report.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::live::serve {

struct Serving {
  int listening = -1;  // a listening socket
  int feed = -1;       // messages: a JSON object each, or kEnd alone; end of file: the run is gone
  int last_page = -1;  // a file; it contains HTML when kEnd arrives
  std::string token, page;
};
inline constexpr char kEnd[] = "end";

// Returns when the run has ended and the present browsers have fetched the last page.
void serve(const Serving& serving);

}  // namespace fathom::live::serve
