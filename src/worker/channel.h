// What workers tell their parent while they live: that they are ready, an error that ended them, whole, what else the
// rooms above have to say, and that they came to their end. One pipe serves all workers, however many, so that a thousand
// of them cost two descriptors. It is cut into frames no longer than PIPE_BUF, which the kernel writes whole (pipe(7)):
// frames of different workers may alternate, but no frame is torn, and what was said before a SIGKILL arrives. Counts and
// histograms do not pass here: they lie in shared memory. Thread rule: a Voice by any thread of its worker; a Channel by
// the parent's one thread.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::worker {

// other: bytes whose meaning the room above knows.
enum class Kind : std::uint16_t { ready, error, other, ended };

class Voice {
 public:
  Voice(int fd, std::uint32_t worker) : fd_(fd), worker_(worker) {}
  void ready() const { say(Kind::ready, {}); }
  void error(const base::Error& error) const;
  void other(std::string_view bytes) const { say(Kind::other, bytes); }
  void say(Kind kind, std::string_view bytes) const;

 private:
  int fd_;
  std::uint32_t worker_;
};

struct Message {
  std::uint32_t worker = 0;
  Kind kind = Kind::other;
  std::string bytes;
  base::Error error() const;  // of Kind::error
};

class Channel {
 public:
  Channel();  // throws std::system_error where there is no pipe to be had
  Voice voice(std::uint32_t worker) const { return {write_.get(), worker}; }
  // False: nothing came in that time.
  bool wait(int timeout_ms) const;
  // All that has come whole; does not wait.
  std::vector<Message> read();

 private:
  void take_frames(std::vector<Message>& messages);

  base::system::UniqueFd read_, write_;
  std::string bytes_;                           // of frames that have not come whole
  std::map<std::uint32_t, std::string> begun_;  // a worker's message whose last frame has not come
};

}  // namespace fathom::worker
