// What the tests of vfio-user share: messages written as hex text, a raw peer on a socket that knows nothing of our
// framing, a controller to export, memory files, and a folder for sockets.
#pragma once
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/system/fd.h"
#include "nvme/soft/controller.h"

namespace fathom::nvme::vfio_user::test {

using Bytes = std::vector<std::byte>;

// "0100 0a00 'text' 00": hex digits, blanks between them as one likes, and text in quotes.
inline Bytes hex(std::string_view text) {
  Bytes bytes;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\n') {
      ++i;
    } else if (text[i] == '\'') {
      for (++i; text[i] != '\''; ++i) bytes.push_back(static_cast<std::byte>(text[i]));
      ++i;
    } else {
      bytes.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
      i += 2;
    }
  }
  return bytes;
}

inline std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 4 == 0 && i != 0) text += ' ';
    text += "0123456789abcdef"[std::to_integer<int>(bytes[i]) >> 4];
    text += "0123456789abcdef"[std::to_integer<int>(bytes[i]) & 15];
  }
  return text;
}

inline base::system::UniqueFd memory_file(std::uint64_t bytes) {
  base::system::UniqueFd fd(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(fd.get(), static_cast<off_t>(bytes)), 0);
  return fd;
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/fathom-vfio-user-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

// One end of a stream socket, used with bare system calls.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  static Peer connect(const std::string& path) {
    Peer peer(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = address_of(path);
    EXPECT_EQ(::connect(peer.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0) << path;
    return peer;
  }

  bool send(std::span<const std::byte> bytes, const std::vector<int>& with = {}) {
    alignas(cmsghdr) char control[CMSG_SPACE(64 * sizeof(int))] = {};
    iovec data{.iov_base = const_cast<std::byte*>(bytes.data()), .iov_len = bytes.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (!with.empty()) {
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(with.size() * sizeof(int));
      auto* c = CMSG_FIRSTHDR(&message);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(with.size() * sizeof(int));
      std::memcpy(CMSG_DATA(c), with.data(), with.size() * sizeof(int));
    }
    return ::sendmsg(fd(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }

  // What comes within the time, `bytes` of it at most; file descriptors are kept in `fds`.
  Bytes receive(std::size_t bytes, int timeout_ms = 2000) {
    Bytes got;
    while (got.size() < bytes) {
      pollfd p{.fd = fd(), .events = POLLIN, .revents = 0};
      if (::poll(&p, 1, timeout_ms) <= 0) break;
      Bytes part(bytes - got.size());
      alignas(cmsghdr) char control[CMSG_SPACE(64 * sizeof(int))];
      iovec data{.iov_base = part.data(), .iov_len = part.size()};
      msghdr message{};
      message.msg_iov = &data;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      const auto n = ::recvmsg(fd(), &message, MSG_CMSG_CLOEXEC);
      if (n <= 0) break;
      for (auto* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        int received[64];
        const auto count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        std::memcpy(received, CMSG_DATA(c), count * sizeof(int));
        for (std::size_t i = 0; i < count; ++i) fds.emplace_back(received[i]);
      }
      part.resize(static_cast<std::size_t>(n));
      got.insert(got.end(), part.begin(), part.end());
    }
    return got;
  }

  // The other side has closed, and nothing more is to be read.
  bool closed(int timeout_ms = 2000) {
    pollfd p{.fd = fd(), .events = POLLIN, .revents = 0};
    char c;
    return ::poll(&p, 1, timeout_ms) > 0 && ::recv(fd(), &c, 1, MSG_DONTWAIT) <= 0;
  }

  int fd() const { return fd_.get(); }
  void close() { fd_.reset(); }
  std::vector<base::system::UniqueFd> fds;

 private:
  base::system::UniqueFd fd_;
};

inline std::pair<Peer, Peer> peers() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {Peer(ends[0]), Peer(ends[1])};
}

inline std::unique_ptr<soft::Controller> small_controller(soft::Options options = {}) {
  options.size_bytes = 1 << 20;
  auto controller = soft::Controller::make(options);
  EXPECT_TRUE(controller) << controller.error().what;
  return std::move(*controller);
}

inline std::size_t open_files() {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& f : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

}  // namespace fathom::nvme::vfio_user::test
