// Sends and receives one vfio-user message on a stream socket. A stream has no message boundaries: a read may return
// half a header, and file descriptors arrive with whichever byte they were sent with.
// A Receiver therefore never reads beyond the current message, keeps partial data, and reports when a message is
// complete. Sockets are non-blocking. No function here waits longer than its timeout.
//
// Thread rule: one Receiver and one socket, one thread at a time.
#pragma once
#include <sys/socket.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/system/fd.h"
#include "nvme/vfio_user/protocol.h"

namespace fathom::nvme::vfio_user {

struct Packet {
  Header header;
  std::vector<std::byte> payload;
  std::vector<base::system::UniqueFd> fds;
};

enum class Received {
  nothing,  // incomplete: call again when the socket is readable
  packet,
  closed,   // the other side closed, or the socket failed
  garbage,  // not this protocol: an impossible size, or too many file descriptors for one message
};

class Receiver {
 public:
  // Reads the available data. Received::packet: `packet` is valid.
  Received receive(int socket, Packet& packet);

 private:
  Received fill(int socket, std::byte* to, std::size_t bytes);
  Received take_fds(const msghdr& message);
  std::byte header_[sizeof(Header)];
  std::vector<std::byte> payload_;
  std::vector<base::system::UniqueFd> fds_;
  std::size_t have_ = 0;  // bytes of the message received
  std::size_t bytes_ = sizeof(Header);
};

// Sends a whole message and sets header.bytes. False: not sent within timeout_ms (0: no wait), or the socket failed.
// Never raises SIGPIPE.
bool send_packet(int socket, Header header, std::span<const std::byte> payload, std::span<const int> fds,
                 int timeout_ms);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace fathom::nvme::vfio_user
