// Messages on a stream. The reading side keeps partial messages. The writing side waits at most until its deadline.
#include "nvme/vfio_user/framing.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace fathom::nvme::vfio_user {
namespace {

// Space for more descriptors than a message may carry, so that an excess is detected.
constexpr std::size_t kFdRoom = std::size_t{2} * kFdsMax;

using Clock = std::chrono::steady_clock;

bool wait_writable(int socket, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd p{.fd = socket, .events = POLLOUT, .revents = 0};
    const int n = ::poll(&p, 1, static_cast<int>(left));
    if (n > 0) return true;
    if (n == 0 || errno != EINTR) return false;
  }
}

}  // namespace

Received Receiver::take_fds(const msghdr& message) {
  for (auto* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(const_cast<msghdr*>(&message), c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds_.emplace_back(fd);
    }
  }
  return (message.msg_flags & MSG_CTRUNC) != 0 || fds_.size() > kFdsMax ? Received::garbage : Received::packet;
}

Received Receiver::fill(int socket, std::byte* to, std::size_t bytes) {
  for (std::size_t got = 0; got < bytes;) {
    alignas(cmsghdr) char control[CMSG_SPACE(kFdRoom * sizeof(int))];
    iovec data{.iov_base = to + got, .iov_len = bytes - got};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const auto n = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Received::nothing : Received::closed;
    if (take_fds(message) == Received::garbage) return Received::garbage;
    if (n == 0) return Received::closed;
    got += static_cast<std::size_t>(n);
    have_ += static_cast<std::size_t>(n);
  }
  return Received::packet;
}

Received Receiver::receive(int socket, Packet& packet) {
  Header header;
  if (have_ < sizeof(Header)) {
    const auto outcome = fill(socket, header_ + have_, sizeof(Header) - have_);
    if (outcome != Received::packet) return outcome;
    std::memcpy(&header, header_, sizeof header);
    if (header.bytes < sizeof(Header) || header.bytes > sizeof(Header) + kPayloadBytesMax) return Received::garbage;
    bytes_ = header.bytes;
    payload_.resize(bytes_ - sizeof(Header));
  }
  if (have_ < bytes_) {
    const auto outcome = fill(socket, payload_.data() + (have_ - sizeof(Header)), bytes_ - have_);
    if (outcome != Received::packet) return outcome;
  }
  std::memcpy(&header, header_, sizeof header);
  have_ = 0;
  packet = {.header = header, .payload = std::move(payload_), .fds = std::move(fds_)};
  payload_.clear();
  fds_.clear();
  return Received::packet;
}

bool send_packet(int socket, Header header, std::span<const std::byte> payload, std::span<const int> fds,
                 int timeout_ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  header.bytes = static_cast<std::uint32_t>(sizeof header + payload.size());
  const auto head = std::as_bytes(std::span(&header, 1));
  std::vector<std::byte> bytes;
  bytes.reserve(sizeof header + payload.size());
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  for (std::size_t sent = 0; sent < bytes.size();) {
    alignas(cmsghdr) char control[CMSG_SPACE(kFdsMax * sizeof(int))] = {};
    iovec data{.iov_base = bytes.data() + sent, .iov_len = bytes.size() - sent};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (sent == 0 && !fds.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(fds.size_bytes());
      auto* c = CMSG_FIRSTHDR(&message);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
    }
    const auto n = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n >= 0)
      sent += static_cast<std::size_t>(n);
    else if (errno != EINTR && ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait_writable(socket, deadline)))
      return false;
  }
  return true;
}

}  // namespace fathom::nvme::vfio_user
