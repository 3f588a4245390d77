// A listening socket, a process, and the messages to it.
#include "live/serve/page_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/files/output_file.h"
#include "base/time.h"
#include "live/serve/answers.h"
#include "live/serve/asking.h"

namespace fathom::live::serve {
namespace {

using base::system::UniqueFd;

base::Error cannot(std::uint16_t port, int err) {
  base::Error e;
  e.kind = err == EACCES ? base::ErrorKind::privilege : base::ErrorKind::usage;
  e.sys_errno = err;
  e.what = fmt::format("--live=page:{}: cannot serve a page on this port", port);
  e.cause = std::strerror(err);
  e.help = "choose a free port, or `--live=page:0`";
  return e;
}

base::Expected<UniqueFd> listening_on(std::uint16_t& port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return cannot(port, errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(port);
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof here;
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  if (::bind(fd.get(), address, bytes) != 0 || ::listen(fd.get(), 64) != 0) return cannot(port, errno);
  if (::getsockname(fd.get(), address, &bytes) == 0) port = ntohs(here.sin_port);
  return fd;
}

// Runs in the child. It keeps no descriptor of the parent, and ignores signals of the terminal, which end the parent.
// So the child ends by itself.
[[noreturn]] void be_server(Serving serving) {
  ::prctl(PR_SET_NAME, "fathom-page");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1}) std::signal(signal, SIG_IGN);
  constexpr int kFirst = 3;
  int* const kept[] = {&serving.listening, &serving.feed, &serving.last_page};
  for (int* fd : kept) *fd = ::fcntl(*fd, F_DUPFD, 64);  // away from their final numbers
  for (int i = 0; i < 3; ++i) *kept[i] = ::dup2(*kept[i], kFirst + i);
  ::close_range(kFirst + 3, ~0u, 0);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd < kFirst; ++fd) ::dup2(nowhere, fd);
  serve(serving);
  ::_exit(0);
}

}  // namespace

base::Expected<void> PageServer::start(std::uint16_t port, const std::string& page) {
  auto listening = listening_on(port);
  if (!listening) return listening.error();
  int ends[2] = {-1, -1};
  UniqueFd last_page(::memfd_create("fathom-page", MFD_CLOEXEC));
  std::string token = new_token();
  if (!last_page || token.empty() || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return cannot(port, errno);
  UniqueFd ours(ends[0]), theirs(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return cannot(port, errno);
  if (pid == 0) be_server({listening->get(), theirs.get(), last_page.get(), token, page});
  pid_ = pid;
  address_ = fmt::format("http://127.0.0.1:{}/{}/", port, token);
  feed_ = std::move(ours);
  last_page_ = std::move(last_page);
  return {};
}

void PageServer::say(const std::string& json) {
  if (feed_) (void)::send(feed_.get(), json.data(), json.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void PageServer::end_with(const std::string& page) {
  if (!feed_) return;
  const timeval most{1, 0};  // a stopped server receives nothing
  ::setsockopt(feed_.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  if (base::files::write_all(last_page_.get(), page) == 0)
    (void)::send(feed_.get(), kEnd, sizeof kEnd - 1, MSG_NOSIGNAL);
}

// The server ends by itself. If it was stopped by a signal, it is killed after 8 s.
PageServer::~PageServer() {
  if (pid_ <= 0) return;
  feed_.reset();
  constexpr std::uint64_t kLongest_ns = 8'000'000'000;
  constexpr useconds_t kLook_us = 10'000;
  const std::uint64_t end = base::monotonic_ns() + kLongest_ns;
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (base::monotonic_ns() > end) ::kill(pid_, SIGKILL);
    ::usleep(kLook_us);
  }
}

}  // namespace fathom::live::serve
