// The sockets' system calls; see the header.
#include "engine/network/net_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/vm_sockets.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/time.h"

namespace fathom::engine::network {
namespace {

constexpr std::uint32_t kLinkMagic = 0x6c696e6b, kLinkOpen = 0x98, kLinkClose = 0x89;

struct Announcement {
  std::uint32_t magic, word;
  bool is(std::uint32_t asked) const {
    const bool host = magic == kLinkMagic && word == asked;
    return host || (magic == htonl(kLinkMagic) && word == htonl(asked));
  }
};
static_assert(sizeof(Announcement) == 8);

struct Family {
  int domain, type;
};
Family family_of(io::NetProtocol protocol) {
  switch (protocol) {
    case io::NetProtocol::tcp:
      return {AF_INET, SOCK_STREAM};
    case io::NetProtocol::tcpv6:
      return {AF_INET6, SOCK_STREAM};
    case io::NetProtocol::udp:
      return {AF_INET, SOCK_DGRAM};
    case io::NetProtocol::udpv6:
      return {AF_INET6, SOCK_DGRAM};
    case io::NetProtocol::unix_socket:
      return {AF_UNIX, SOCK_STREAM};
    case io::NetProtocol::vsock:
      break;
  }
  return {AF_VSOCK, SOCK_STREAM};
}

bool is_multicast(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET)
    return IN_MULTICAST(ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  return address.ss_family == AF_INET6 &&
         IN6_IS_ADDR_MULTICAST(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

}  // namespace

void number_block(std::byte* data, std::uint32_t bytes, std::uint64_t number) {
  if (bytes < sizeof(UdpNumber)) return;
  const UdpNumber n{UdpNumber::kMagic, number, bytes};
  std::memcpy(data + bytes - sizeof n, &n, sizeof n);
}

std::uint64_t missing_before(const std::byte* data, std::uint32_t bytes, std::uint64_t& next) {
  if (bytes < sizeof(UdpNumber)) return 0;
  UdpNumber n;
  std::memcpy(&n, data + bytes - sizeof n, sizeof n);
  if (n.magic != UdpNumber::kMagic || n.bytes != bytes) return 0;
  const std::uint64_t missing = n.number > next ? n.number - next : 0;
  next = n.number + 1;
  return missing;
}

std::string NetSocket::whom() const {
  const io::NetProtocol p = options_.protocol;
  if (p == io::NetProtocol::unix_socket) return job_.filenames.empty() ? options_.hostname : job_.filenames[0];
  return fmt::format("{} port {}", options_.hostname.empty() ? "any address," : options_.hostname,
                     options_.port + job_.subjob);
}

base::Error NetSocket::failed(const std::string& what, int err) const {
  auto e = base::system_error(fmt::format("{} {}", what, whom()), err);
  if (err == ECONNREFUSED || err == ENOENT) {
    e.cause = "no server listens at that address";
    e.help = "start the job with `listen` first, or write both in one file: fathom connects when all jobs are ready";
  }
  return e;
}

base::Expected<void> NetSocket::set(int level, int name, int value, const char* what) {
  if (::setsockopt(fd_.get(), level, name, &value, sizeof value) == 0) return {};
  return base::system_error(fmt::format("{}{}", what, value), errno);
}

base::Expected<void> NetSocket::find_address() {
  const auto port = static_cast<std::uint16_t>(options_.port + job_.subjob);
  const auto [domain, type] = family_of(options_.protocol);
  if (domain == AF_UNIX) {
    auto& to = reinterpret_cast<sockaddr_un&>(address_);
    const std::string path = job_.filenames.empty() ? options_.hostname : job_.filenames[0];
    base::Error e;
    e.what = path.empty() ? "unix sockets need a name" : fmt::format("`{}` is too long for the path of a socket", path);
    e.help = "write the socket's path as `filename=`";
    if (path.empty() || path.size() >= sizeof to.sun_path) return e;
    to.sun_family = AF_UNIX;
    std::strncpy(to.sun_path, path.c_str(), sizeof to.sun_path - 1);
    address_bytes_ = sizeof to;
    return {};
  }
  if (domain == AF_VSOCK) {
    auto& to = reinterpret_cast<sockaddr_vm&>(address_);
    to.svm_family = AF_VSOCK;
    to.svm_port = port;
    to.svm_cid = waits() ? VMADDR_CID_ANY : static_cast<unsigned>(std::strtoul(options_.hostname.c_str(), nullptr, 10));
    address_bytes_ = sizeof to;
    return {};
  }
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = domain;
  hints.ai_socktype = type;
  hints.ai_flags = waits() ? AI_PASSIVE : 0;
  const std::string service = std::to_string(port);
  const auto look_up = [&](const char* name) { return ::getaddrinfo(name, service.c_str(), &hints, &found); };
  int rc = look_up(options_.hostname.empty() ? nullptr : options_.hostname.c_str());
  // `localhost` is this machine (RFC 6761, 6.3), even in a container with no such name in /etc/hosts.
  if (rc != 0 && options_.hostname == "localhost") rc = look_up(domain == AF_INET6 ? "::1" : "127.0.0.1");
  if (rc != 0) {
    base::Error e;
    e.what = fmt::format("hostname={}: {}", options_.hostname, ::gai_strerror(rc));
    e.help = "write a name that this machine can resolve, or an address of that protocol";
    return e;
  }
  std::memcpy(&address_, found->ai_addr, found->ai_addrlen);
  address_bytes_ = found->ai_addrlen;
  ::freeaddrinfo(found);
  return {};
}

base::Expected<void> NetSocket::make_socket() {
  const auto [domain, type] = family_of(options_.protocol);
  fd_.reset(::socket(domain, type | SOCK_CLOEXEC, 0));
  if (!fd_) return failed("make a socket for", errno);
  const auto window = static_cast<int>(options_.window_bytes);
  if (window != 0) {
    if (auto ok = set(SOL_SOCKET, SO_SNDBUF, window, "window_size="); !ok) return ok;
    if (auto ok = set(SOL_SOCKET, SO_RCVBUF, window, "window_size="); !ok) return ok;
  }
  const bool tcp = type == SOCK_STREAM && (domain == AF_INET || domain == AF_INET6);
  if (tcp && options_.mss_bytes != 0)
    if (auto ok = set(IPPROTO_TCP, TCP_MAXSEG, static_cast<int>(options_.mss_bytes), "mss="); !ok) return ok;
  if (tcp && options_.nodelay) return set(IPPROTO_TCP, TCP_NODELAY, 1, "nodelay=");
  return {};
}

// Multicast: the receiver joins the group. The sender selects the interface, and ttl= limits the distance.
base::Expected<void> NetSocket::join_group() {
  if (address_.ss_family != AF_INET) return {};
  in_addr interface { htonl(INADDR_ANY) };
  if (!options_.interface.empty() && ::inet_pton(AF_INET, options_.interface.c_str(), &interface) != 1) {
    base::Error e;
    e.what = fmt::format("interface={}: not an address", options_.interface);
    e.help = "write the address of the interface, for example `interface=127.0.0.1`";
    return e;
  }
  if (waits()) {
    const ip_mreq group{reinterpret_cast<const sockaddr_in&>(address_).sin_addr, interface};
    if (::setsockopt(fd_.get(), IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) != 0)
      return failed("join the group", errno);
    return {};
  }
  if (!options_.interface.empty() &&
      ::setsockopt(fd_.get(), IPPROTO_IP, IP_MULTICAST_IF, &interface, sizeof interface) != 0)
    return failed("send by interface= to", errno);
  return set(IPPROTO_IP, IP_MULTICAST_TTL, static_cast<int>(options_.ttl), "ttl=");
}

base::Expected<void> NetSocket::bind_and_listen() {
  if (options_.protocol == io::NetProtocol::unix_socket) {
    const std::string path = whom();
    struct stat there = {};
    if (::lstat(path.c_str(), &there) == 0) {
      if (!S_ISSOCK(there.st_mode)) return failed("bind to", EEXIST);
      const base::system::UniqueFd probe(
          ::socket(AF_UNIX, SOCK_CLOEXEC | SOCK_NONBLOCK | (options_.datagrams() ? SOCK_DGRAM : SOCK_STREAM), 0));
      const int rc = ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_);
      if (rc == 0 || errno != ECONNREFUSED) return failed("bind to", EADDRINUSE);
    }
    ::unlink(path.c_str());  // a socket left by a run that was killed
    bound_path_ = path;
  } else if (auto ok = set(SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR="); !ok) {
    return ok;
  }
  if (::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_) != 0)
    return failed("bind to", errno);
  if (options_.datagrams()) return {};
  if (::listen(fd_.get(), 10) != 0) return failed("listen at", errno);
  listener_ = std::move(fd_);
  return {};
}

base::Expected<void> NetSocket::open() {
  if (auto ok = find_address(); !ok) return ok;
  if (auto ok = make_socket(); !ok) return ok;
  if (options_.datagrams() && is_multicast(address_))
    if (auto ok = join_group(); !ok) return ok;
  return waits() ? bind_and_listen() : base::Expected<void>();
}

bool NetSocket::over() const { return job_.stopped() || (end_ns_ != 0 && base::monotonic_ns() >= end_ns_); }

bool NetSocket::wait_until(short events) const {
  pollfd p{listener_ ? listener_.get() : fd_.get(), events, 0};
  while (!over()) {
    const int n = ::poll(&p, 1, kLook_ms);
    if (n > 0 || (n < 0 && errno != EINTR)) return true;
  }
  return false;
}

base::Expected<void> NetSocket::accept_one() {
  if (!wait_until(POLLIN)) return {};
  base::system::UniqueFd accepted(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!accepted) return failed("accept at", errno);
  listener_.reset();
  fd_ = std::move(accepted);
  connected_ = true;
  const bool tcp = options_.protocol == io::NetProtocol::tcp || options_.protocol == io::NetProtocol::tcpv6;
  return tcp && options_.nodelay ? set(IPPROTO_TCP, TCP_NODELAY, 1, "nodelay=") : base::Expected<void>();
}

// The sender of the first announcement receives the answers of pingpong.
base::Expected<void> NetSocket::await_datagrams() {
  for (Announcement a{}; !connected_ && wait_until(POLLIN);) {
    sockaddr_storage from{};
    socklen_t bytes = sizeof from;
    const auto n = ::recvfrom(fd_.get(), &a, sizeof a, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &bytes);
    if (n != static_cast<ssize_t>(sizeof a) || !a.is(kLinkOpen)) continue;
    address_ = from;
    address_bytes_ = bytes;
    connected_ = true;
  }
  return {};
}

base::Expected<void> NetSocket::begin() {
  if (waits()) {
    if (auto ok = options_.datagrams() ? await_datagrams() : accept_one(); !ok) return ok;
  } else if (options_.datagrams()) {
    const Announcement a{htonl(kLinkMagic), htonl(kLinkOpen)};
    if (::sendto(fd_.get(), &a, sizeof a, 0, reinterpret_cast<const sockaddr*>(&address_), address_bytes_) < 0)
      return failed("send to", errno);
    connected_ = true;
  } else {
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address_), address_bytes_) != 0)
      return failed("connect to", errno);
    connected_ = true;
  }
  // Limits a call's duration, so that the loop can check for the end of the job.
  const timeval look{0, kLook_ms * 1000L};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDTIMEO, &look, sizeof look);
  if (job_.runtime_ns != 0) end_ns_ = base::monotonic_ns() + job_.runtime_ns;
  return {};
}

void NetSocket::say_closed() {
  if (!connected_ || !options_.datagrams() || waits()) return;
  const Announcement a{kLinkMagic, kLinkClose};
  (void)!::sendto(fd_.get(), &a, sizeof a, 0, reinterpret_cast<const sockaddr*>(&address_), address_bytes_);
}

NetSocket::~NetSocket() {
  struct stat there = {};
  if (!bound_path_.empty() && ::lstat(bound_path_.c_str(), &there) == 0 && S_ISSOCK(there.st_mode))
    ::unlink(bound_path_.c_str());
}

std::int32_t NetSocket::send_datagram(std::byte* data, std::uint32_t bytes) {
  number_block(data, bytes, next_number_++);
  const auto n = ::sendto(fd_.get(), data, bytes, 0, reinterpret_cast<const sockaddr*>(&address_), address_bytes_);
  return n < 0 ? -errno : static_cast<std::int32_t>(n);
}

// MSG_MORE is not set for the last block, nor for a block that must come back.
std::int32_t NetSocket::send_block(std::byte* data, std::uint32_t bytes) {
  for (;;) {
    const bool more = sent_bytes_ + bytes < job_.size_bytes && !options_.pingpong;
    const std::int32_t n =
        options_.datagrams()
            ? send_datagram(data, bytes)
            : static_cast<std::int32_t>(::send(fd_.get(), data, bytes, MSG_NOSIGNAL | (more ? MSG_MORE : 0)));
    const int err = n < 0 ? (options_.datagrams() ? -n : errno) : 0;
    if (n > 0) {
      sent_bytes_ += static_cast<std::uint64_t>(n);
      return n;
    }
    if (over()) return kWorkIsDone;
    if (err != EAGAIN && err != EINTR) return -err;
  }
}

std::int32_t NetSocket::receive_datagram(std::byte* data, std::uint32_t bytes) {
  sockaddr_storage from{};
  socklen_t from_bytes = sizeof from;
  const auto n = ::recvfrom(fd_.get(), data, bytes, 0, reinterpret_cast<sockaddr*>(&from), &from_bytes);
  if (n < 0) return -errno;
  Announcement a{};
  if (n == static_cast<ssize_t>(sizeof a)) {
    std::memcpy(&a, data, sizeof a);
    if (a.is(kLinkClose)) return kWorkIsDone;
    if (a.is(kLinkOpen)) return -EINTR;  // from another sender
  }
  if (!options_.pingpong && job_.dropped_ios != nullptr)
    *job_.dropped_ios += missing_before(data, static_cast<std::uint32_t>(n), next_number_);
  return static_cast<std::int32_t>(n);
}

std::int32_t NetSocket::receive_block(std::byte* data, std::uint32_t bytes) {
  for (;;) {
    std::int32_t n = 0;
    if (options_.datagrams())
      n = receive_datagram(data, bytes);
    else if (n = static_cast<std::int32_t>(::recv(fd_.get(), data, bytes, MSG_WAITALL)); n < 0)
      n = -errno;
    if (n > 0 || n == kWorkIsDone) return n;
    if (n == 0 || over() || n == -ECONNRESET) return kWorkIsDone;  // the other end has closed
    if (n != -EAGAIN && n != -EINTR) return n;
  }
}

}  // namespace fathom::engine::network
