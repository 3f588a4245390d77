// --live=page: a separate process that shows a run to browsers of this machine. Each second the run sends it a message
// through a socket, so browsers never delay the run, however many or slow they are. A message that the socket does not
// accept is lost; the run does not wait. At the end the report's page replaces the live one in browsers that still show
// it. The process starts before any measurement, and before files and devices are open, because it would hold copies of
// their descriptors. Source: libevent's evhttp. Thread rule: one thread; start() forks, so no other thread may exist
// then.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::live::serve {

inline constexpr std::size_t kKeptSeconds = 3600;  // for a browser that connects later

class PageServer {
 public:
  PageServer() = default;
  ~PageServer();  // ends the process; a browser that shows the page has 5 s to fetch the last page
  PageServer(const PageServer&) = delete;

  // port 0: any free port. page: HTML that requests `seconds?after=N`, and that is loaded again when the answer says
  // done.
  // Errors: the port is not available.
  base::Expected<void> start(std::uint16_t port, const std::string& page);
  bool runs() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  const std::string& address() const { return address_; }
  void say(const std::string& json);       // a JSON object
  void end_with(const std::string& page);  // HTML

 private:
  pid_t pid_ = -1;
  std::string address_;
  base::system::UniqueFd feed_, last_page_;
};

}  // namespace fathom::live::serve
