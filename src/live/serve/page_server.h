// --live=page: a process of its own that shows a run to browsers of this machine. What the run says each second comes
// to it as messages of a socket, so that no browser, however many or slow, is ever in the run's way: what the socket does
// not take is lost, and nobody waits. At the end the report's page takes the place of the live one, for those who look.
// It is begun before anything is measured, and before files and devices are open, of which it would hold copies.
// Source: libevent's evhttp. Thread rule: one thread, and no other at start(), which forks.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::live::serve {

inline constexpr std::size_t kKeptSeconds = 3600;  // for a browser that comes later

class PageServer {
 public:
  PageServer() = default;
  ~PageServer();  // ends it; a browser that looks has 5 s to take the last page
  PageServer(const PageServer&) = delete;

  // port 0: one that is free. page: HTML that asks for `seconds?after=N`, and is loaded again when the answer says done.
  // Errors: the port cannot be had.
  base::Expected<void> start(std::uint16_t port, const std::string& page);
  bool runs() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  const std::string& address() const { return address_; }
  void say(const std::string& json);       // an object
  void end_with(const std::string& page);  // HTML

 private:
  pid_t pid_ = -1;
  std::string address_;
  base::system::UniqueFd feed_, last_page_;
};

}  // namespace fathom::live::serve
