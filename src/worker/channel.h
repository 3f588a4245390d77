// Messages from workers to their parent while they live: ready, an error that ended the worker (complete), other data
// of the higher modules, and the normal end. One pipe serves all workers, so a thousand of them use two descriptors.
// Messages are cut into frames no longer than PIPE_BUF, which the kernel writes whole (pipe(7)). Frames of different
// workers may alternate, but no frame is torn, and frames sent before a SIGKILL arrive. Counts and histograms do not
// use the pipe: they are in shared memory. Thread rule: a Voice is for any thread of its worker; a Channel is for one
// thread of the parent.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::worker {

// other: bytes that only the higher module can interpret.
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
  base::Error error() const;  // for Kind::error
};

class Channel {
 public:
  Channel();  // throws std::system_error if no pipe is available
  Voice voice(std::uint32_t worker) const { return {write_.get(), worker}; }
  // False: no message arrived in that time.
  bool wait(int timeout_ms) const;
  // All complete messages; does not wait.
  std::vector<Message> read();

 private:
  void take_frames(std::vector<Message>& messages);

  base::system::UniqueFd read_, write_;
  std::string bytes_;                           // of incomplete frames
  std::map<std::uint32_t, std::string> begun_;  // by worker: a message without its last frame
};

}  // namespace fathom::worker
