// Writes messages to the pipe as frames, and reads them back.
#include "worker/channel.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/packed.h"

namespace fathom::worker {
namespace {

struct Frame {
  std::uint32_t worker;
  Kind kind;
  std::uint16_t last;  // last frame of its message
  std::uint32_t length;
};
static_assert(sizeof(Frame) == 12);
constexpr std::size_t kFrameBytes = PIPE_BUF, kMostInFrame = kFrameBytes - sizeof(Frame);

}  // namespace

void Voice::error(const base::Error& error) const {
  base::Packer packer;
  packer.error(error);
  say(Kind::error, packer.take());
}

void Voice::say(Kind kind, std::string_view bytes) const {
  do {
    const auto part = bytes.substr(0, kMostInFrame);
    bytes.remove_prefix(part.size());
    const Frame frame{worker_, kind, bytes.empty(), static_cast<std::uint32_t>(part.size())};
    char buffer[kFrameBytes];
    std::memcpy(buffer, &frame, sizeof frame);
    std::copy(part.begin(), part.end(), buffer + sizeof frame);
    while (::write(fd_, buffer, sizeof frame + part.size()) < 0 && errno == EINTR) {
    }
  } while (!bytes.empty());
}

base::Error Message::error() const { return base::Unpacker(bytes).error(); }

// Only the reading end is non-blocking. If a worker writes more than the pipe holds, it waits, and nothing is lost.
Channel::Channel() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  read_.reset(fds[0]);
  write_.reset(fds[1]);
  ::fcntl(read_.get(), F_SETFL, O_NONBLOCK);
}

bool Channel::wait(int timeout_ms) const {
  pollfd p{read_.get(), POLLIN, 0};
  return ::poll(&p, 1, timeout_ms) > 0;
}

std::vector<Message> Channel::read() {
  std::vector<Message> messages;
  char buffer[16 * kFrameBytes];
  for (;;) {
    const ssize_t got = ::read(read_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    bytes_.append(buffer, static_cast<std::size_t>(got));
    take_frames(messages);
    if (static_cast<std::size_t>(got) < sizeof buffer) break;
  }
  return messages;
}

void Channel::take_frames(std::vector<Message>& messages) {
  std::size_t at = 0;
  Frame frame;
  while (bytes_.size() - at >= sizeof frame) {
    std::memcpy(&frame, bytes_.data() + at, sizeof frame);
    if (bytes_.size() - at < sizeof frame + frame.length) break;
    auto& begun = begun_[frame.worker];
    begun.append(bytes_, at + sizeof frame, frame.length);
    at += sizeof frame + frame.length;
    if (frame.last == 0) continue;
    messages.push_back({frame.worker, frame.kind, std::move(begun)});
    begun_.erase(frame.worker);
  }
  bytes_.erase(0, at);
}

}  // namespace fathom::worker
