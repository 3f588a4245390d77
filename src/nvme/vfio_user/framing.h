// One vfio-user message on a stream socket, both ways. A stream has no message ends: a read may bring half a header,
// and file descriptors arrive with whichever byte they were sent with. So a Receiver never reads beyond the message
// that it is in, keeps what came, and says when one is whole. Sockets are non-blocking; nothing here waits longer than
// it is told.
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
  nothing,  // not whole yet: come again when the socket is readable
  packet,
  closed,   // the other side has closed, or the socket failed
  garbage,  // not this protocol: an impossible size, or more file descriptors than a message may carry
};

class Receiver {
 public:
  // Reads what is there; `packet` is valid when it returns Received::packet.
  Received receive(int socket, Packet& packet);

 private:
  Received fill(int socket, std::byte* to, std::size_t bytes);
  Received take_fds(const msghdr& message);
  std::byte header_[sizeof(Header)];
  std::vector<std::byte> payload_;
  std::vector<base::system::UniqueFd> fds_;
  std::size_t have_ = 0;  // bytes of the message so far
  std::size_t bytes_ = sizeof(Header);
};

// Sends a whole message: header.bytes is set here. False: not within timeout_ms (0: at once), or the socket failed.
// Never raises SIGPIPE.
bool send_packet(int socket, Header header, std::span<const std::byte> payload, std::span<const int> fds,
                 int timeout_ms);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace fathom::nvme::vfio_user
