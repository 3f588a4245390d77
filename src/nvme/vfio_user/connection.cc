// Connects, agrees on a version, and makes one round trip at a time.
#include "nvme/vfio_user/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/time.h"

namespace fathom::nvme::vfio_user {
namespace {

using Clock = std::chrono::steady_clock;

struct Refusal {
  int err;
  base::ErrorKind kind;
  const char* cause;
  const char* help;
};
constexpr const char* kStart =
    "start a server: `fathom nvme serve --socket SOCKET`, or SPDK's nvmf_tgt, and name its socket or the directory of "
    "`cntrl`";
constexpr Refusal kRefusals[] = {
    {ENOENT, base::ErrorKind::usage, "the socket does not exist", kStart},
    {ENOTDIR, base::ErrorKind::usage, "the socket does not exist", kStart},
    {ECONNREFUSED, base::ErrorKind::usage, "no server listens there", kStart},
    {EACCES, base::ErrorKind::privilege, "this user may not write to the socket",
     "run as the server's user, or extend the socket's permissions"},
    {EAGAIN, base::ErrorKind::io, "the server does not accept the connection",
     "check whether the server is busy or stopped"},
};

base::Error refusal(const std::string& path, int err) {
  for (const auto& row : kRefusals)
    if (row.err == err)
      return {.kind = row.kind,
              .what = "vfio-user:" + path + ": cannot connect",
              .cause = row.cause,
              .help = row.help,
              .place = {},
              .sys_errno = err};
  return base::system_error("vfio-user:" + path + ": connect", err);
}

std::string socket_in(const std::string& where) {
  struct stat s;
  if (::stat(where.c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) return where;
  return where + (where.back() == '/' ? "cntrl" : "/cntrl");
}

}  // namespace

base::Expected<std::unique_ptr<Connection>> Connection::open(const std::string& where, int timeout_ms) {
  const std::string path = socket_in(where);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return base::Error{
        .kind = base::ErrorKind::usage,
        .what = "vfio-user:" + path + ": the path is too long",
        .cause = "a socket's path has at most " + std::to_string(sizeof address.sun_path - 1) + " characters",
        .help = "use a shorter path, for example a relative one",
        .place = {}};
  std::memcpy(address.sun_path, path.data(), path.size());
  base::system::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return base::system_error("socket", errno);
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
  while (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if ((errno != EAGAIN && errno != EINTR) || Clock::now() >= deadline) return refusal(path, errno);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::unique_ptr<Connection> connection(new Connection(path, std::move(socket), timeout_ms));
  if (auto agreed = connection->agree_on_version(); !agreed) return agreed.error();
  return connection;
}

base::Expected<void> Connection::agree_on_version() {
  std::vector<std::byte> payload(sizeof(Version) + sizeof kCapabilities);
  const Version ours;
  std::memcpy(payload.data(), &ours, sizeof ours);
  std::memcpy(payload.data() + sizeof ours, kCapabilities, sizeof kCapabilities);
  auto reply = call(Message::version, payload);
  if (!reply) {
    auto error = reply.error();
    if (error.sys_errno == EBUSY) {
      error.cause = "another client is connected to the server, and a controller has one driver at a time";
      error.help = "wait until the other client has disconnected, or serve a second socket";
    }
    if (error.help.empty()) error.help = "check that it is a vfio-user server and that no other client is connected";
    return error;
  }
  Version theirs;
  if (reply->payload.size() < sizeof theirs) return lose("the server's VERSION reply is too short");
  std::memcpy(&theirs, reply->payload.data(), sizeof theirs);
  if (theirs.major != ours.major || theirs.minor > ours.minor)
    return lose("the server uses version " + std::to_string(theirs.major) + "." + std::to_string(theirs.minor) +
                " of the protocol, this driver version 0.1");
  return {};
}

base::Expected<Packet> Connection::call(Message command, std::span<const std::byte> payload, std::span<const int> fds) {
  if (lost_.load(std::memory_order_relaxed)) return lose("the server is gone");
  const std::uint16_t id = ++id_;
  const Header header{.id = id, .command = static_cast<std::uint16_t>(command)};
  if (!send_packet(socket_.get(), header, payload, fds, timeout_ms_)) return lose("the server is gone");
  return wait_for_reply(command, id);
}

base::Expected<Packet> Connection::wait_for_reply(Message command, std::uint16_t id) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms_);
  for (;;) {
    Packet packet;
    const auto outcome = receiver_.receive(socket_.get(), packet);
    if (outcome == Received::closed) return lose("the server has closed the connection");
    if (outcome == Received::garbage) return lose("the server sent what is not a vfio-user message");
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (outcome == Received::nothing) {
      pollfd p{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      if (left <= 0 || (::poll(&p, 1, static_cast<int>(left)) < 0 && errno != EINTR))
        return lose("no answer within " + std::to_string(timeout_ms_) + " ms");
      continue;
    }
    const auto& h = packet.header;
    if ((h.flags & kTypeMask) == kTypeCommand) {
      // The server's own commands request memory without a file descriptor, which this client never provides.
      const Header no{.id = h.id, .command = h.command, .flags = kTypeReply | kFlagError, .error = ENOTSUP};
      if (left <= 0 ||
          ((h.flags & kFlagNoReply) == 0 && !send_packet(socket_.get(), no, {}, {}, static_cast<int>(left))))
        return lose("the server is gone");
      continue;
    }
    if ((h.flags & kTypeMask) != kTypeReply || h.id != id || h.command != static_cast<std::uint16_t>(command))
      return lose("the server's reply does not match the request");
    if ((h.flags & kFlagError) == 0) return packet;
    auto error = base::system_error("vfio-user:" + path_ + ": the server refused the request",
                                    h.error != 0 && h.error < 4096 ? static_cast<int>(h.error) : EIO);
    error.kind = base::ErrorKind::refused;
    return error;
  }
}

base::Error Connection::lose(std::string cause) {
  if (!lost_.exchange(true)) ::shutdown(socket_.get(), SHUT_RDWR);
  return {.kind = base::ErrorKind::io,
          .what = "vfio-user:" + path_ + ": the device is lost",
          .cause = std::move(cause),
          .help = "",
          .place = {},
          .sys_errno = EIO};
}

bool Connection::lost() const {
  if (lost_.load(std::memory_order_relaxed)) return true;
  const auto now = static_cast<std::int64_t>(base::clock_ns(CLOCK_MONOTONIC_COARSE) / 1'000'000);
  if (looked_ms_.load(std::memory_order_relaxed) == now) return false;
  looked_ms_.store(now, std::memory_order_relaxed);
  pollfd p{.fd = socket_.get(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0) lost_ = true;
  return lost_.load(std::memory_order_relaxed);
}

}  // namespace fathom::nvme::vfio_user
