// The server's sockets: listens, accepts one client, and answers its messages without ever waiting for it.
#include "nvme/vfio_user/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace fathom::nvme::vfio_user {
namespace {

constexpr unsigned kMessagesMax = 64;   // per step
constexpr std::size_t kRefusedMax = 8;  // clients that wait for a refusal

base::Error unusable(const std::string& path, std::string cause, std::string help, int err = 0) {
  return {.kind = base::ErrorKind::usage,
          .what = "socket " + path + ": cannot listen",
          .cause = std::move(cause),
          .help = std::move(help),
          .place = {},
          .sys_errno = err};
}

bool watch(int epoll, int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

// A server that was killed leaves its socket file. A live server accepts connections there.
bool nobody_listens(const sockaddr_un& address) {
  const base::system::UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

base::Expected<base::system::UniqueFd> listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return unusable(path, "a socket's path has 1 to " + std::to_string(sizeof address.sun_path - 1) + " characters",
                    "use a shorter path, for example a relative one");
  std::memcpy(address.sun_path, path.data(), path.size());
  struct stat s;
  if (::lstat(path.c_str(), &s) == 0) {
    if (!S_ISSOCK(s.st_mode))
      return unusable(path, "a file of this name exists", "name another socket, or remove the file");
    if (!nobody_listens(address))
      return unusable(path, "another server uses this socket", "stop that server, or name another socket");
    ::unlink(path.c_str());
  }
  base::system::UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener) return base::system_error("socket", errno);
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ENOENT || errno == ENOTDIR)
      return unusable(path, "its directory does not exist", "create the directory first", errno);
    return base::system_error("socket " + path + ": bind", errno);
  }
  if (::listen(listener.get(), 8) != 0) return base::system_error("socket " + path + ": listen", errno);
  return listener;
}

// The client gets BAR0's file. Without the seal, it could truncate the file below the doorbells that the controller
// reads.
bool cannot_shrink(int fd) {
  ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  const int seals = ::fcntl(fd, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

std::string socket_for(const std::string& path) {
  struct stat s;
  if (path.empty() || ::stat(path.c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) return path;
  return path + (path.back() == '/' ? "cntrl" : "/cntrl");
}

}  // namespace

base::Expected<std::unique_ptr<Server>> Server::make(soft::Controller& controller, const std::string& path) {
  if (!cannot_shrink(controller.bar_fd()))
    return base::Error{.kind = base::ErrorKind::io,
                       .what = "the controller's BAR0 cannot be shared",
                       .cause = "its memory file cannot be sealed against shrinking",
                       .help = "",
                       .place = {}};
  const std::string socket = socket_for(path);
  auto listener = listen_at(socket);
  if (!listener) return listener.error();
  base::system::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll || !watch(epoll.get(), listener->get())) return base::system_error("epoll", errno);
  return std::unique_ptr<Server>(new Server(controller, socket, std::move(*listener), std::move(epoll)));
}

Server::Server(soft::Controller& controller, std::string path, base::system::UniqueFd listener,
               base::system::UniqueFd epoll)
    : controller_(controller),
      device_(controller),
      path_(std::move(path)),
      listener_(std::move(listener)),
      epoll_(std::move(epoll)) {
  ::lstat(path_.c_str(), &made_);
}

// Removes the socket file, unless another file has its name now.
Server::~Server() {
  drop_client();
  struct stat now = {};
  if (::lstat(path_.c_str(), &now) == 0 && now.st_dev == made_.st_dev && now.st_ino == made_.st_ino)
    ::unlink(path_.c_str());
}

void Server::drop_client() {
  if (!client_) return;
  client_.reset();
  receiver_ = Receiver();
  device_.forget_client();
}

void Server::accept_client() {
  base::system::UniqueFd next(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!next || controller_.removed()) return;
  if (client_) {
    pollfd p{.fd = client_.get(), .events = 0, .revents = 0};
    if (::poll(&p, 1, 0) <= 0) {  // the first client is still connected, so this one is refused
      if (refused_.size() == kRefusedMax) refused_.pop_front();
      if (watch(epoll_.get(), next.get())) refused_.push_back({std::move(next), {}});
      return;
    }
    drop_client();
  }
  if (watch(epoll_.get(), next.get())) client_ = std::move(next);
}

void Server::refuse_the_others() {
  for (auto one = refused_.begin(); one != refused_.end();) {
    Packet packet;
    const auto outcome = one->receiver.receive(one->socket.get(), packet);
    if (outcome == Received::nothing) {
      ++one;
      continue;
    }
    if (outcome == Received::packet && (packet.header.flags & (kTypeMask | kFlagNoReply)) == kTypeCommand) {
      const Header busy{
          .id = packet.header.id, .command = packet.header.command, .flags = kTypeReply | kFlagError, .error = EBUSY};
      send_packet(one->socket.get(), busy, {}, {}, 0);
    }
    one = refused_.erase(one);
  }
}

void Server::answer(const Header& command, const Reply& reply) {
  if ((command.flags & kFlagNoReply) == 0) {
    const Header header{.id = command.id,
                        .command = command.command,
                        .flags = kTypeReply | (reply.error != 0 ? kFlagError : 0),
                        .error = static_cast<std::uint32_t>(reply.error)};
    const std::span<const int> fds(&reply.fd, reply.fd >= 0 ? 1 : 0);
    if (!send_packet(client_.get(), header, reply.payload, fds, 0)) return drop_client();
  }
  if (reply.last) drop_client();
}

bool Server::answer_one() {
  // A client that does not read its replies gets no further ones.
  pollfd p{.fd = client_.get(), .events = POLLOUT, .revents = 0};
  if (::poll(&p, 1, 0) <= 0) return false;
  Packet packet;
  const auto outcome = receiver_.receive(client_.get(), packet);
  if (outcome == Received::nothing) return false;
  if (outcome != Received::packet || (packet.header.flags & kTypeMask) != kTypeCommand) {
    drop_client();
    return false;
  }
  answer(packet.header, device_.handle(packet));
  return true;
}

unsigned Server::step() {
  if (wants_step()) drop_client();
  constexpr int kEvents = 2 + kRefusedMax;
  epoll_event events[kEvents];
  const int ready = ::epoll_wait(epoll_.get(), events, kEvents, 0);
  for (int i = 0; i < ready; ++i)
    if (events[i].data.fd == listener_.get()) accept_client();
  if (ready > 0) refuse_the_others();
  unsigned answered = 0;
  if (ready > 0)
    while (client_ && answered < kMessagesMax && answer_one()) ++answered;
  return answered;
}

}  // namespace fathom::nvme::vfio_user
