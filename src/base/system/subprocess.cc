// The child reads one byte, then executes the command. exec closes a socket, which shows the parent that it succeeded.
#include "base/system/subprocess.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace fathom::base::system {
namespace {

struct Pipe {
  UniqueFd read, write;
};

// Sockets, because writing to an ended child is then an error instead of a signal.
Expected<Pipe> make_pipe() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    return system_error("create a pipe to the command", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

ssize_t read_whole(const UniqueFd& from, void* to, std::size_t bytes) {
  ssize_t n = 0;
  do n = ::read(from.get(), to, bytes);
  while (n < 0 && errno == EINTR);
  return n;
}

[[noreturn]] void become(const std::vector<std::string>& command, const Pipe& go, const Pipe& failed,
                         void (*in_child)()) {
  std::vector<char*> args;
  args.reserve(command.size() + 1);
  for (const auto& word : command) args.push_back(const_cast<char*>(word.c_str()));
  args.push_back(nullptr);
  char byte = 0;
  if (read_whole(go.read, &byte, 1) == 1) {
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGXFSZ, SIG_DFL);
    if (in_child != nullptr) in_child();
    ::execvp(args[0], args.data());
    const int err = errno;
    (void)!::write(failed.write.get(), &err, sizeof err);
  }
  ::_exit(kNotStarted);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Subprocess::Subprocess(pid_t pid, Orphan orphan, UniqueFd process, UniqueFd go, UniqueFd failed)
    : pid_(pid), orphan_(orphan), process_(std::move(process)), go_(std::move(go)), failed_(std::move(failed)) {}

Subprocess::Subprocess(Subprocess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      orphan_(other.orphan_),
      runs_(other.runs_),
      ended_(other.ended_),
      process_(std::move(other.process_)),
      go_(std::move(other.go_)),
      failed_(std::move(other.failed_)) {}

Subprocess::~Subprocess() {
  if (pid_ <= 0 || ended_ || (runs_ && orphan_ == Orphan::goes_on)) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Expected<Subprocess> Subprocess::hold(const std::vector<std::string>& args, Orphan orphan, void (*in_child)()) {
  Error none;
  none.what = "no command to run";
  if (args.empty()) return none;
  auto go = make_pipe(), failed = make_pipe();
  if (!go) return go.error();
  if (!failed) return failed.error();
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("start `" + args[0] + "`", errno);
  if (pid == 0) {
    go->write.reset();  // so that only the caller has this end
    failed->read.reset();
    become(args, *go, *failed, in_child);
  }
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return Subprocess(pid, orphan, std::move(process), std::move(go->write), std::move(failed->read));
}

int Subprocess::let_go() {
  if (::send(go_.get(), "g", 1, MSG_NOSIGNAL) != 1) return errno;
  runs_ = true;
  go_.reset();
  int err = 0;
  if (read_whole(failed_, &err, sizeof err) != static_cast<ssize_t>(sizeof err)) return 0;
  while (!wait(-1)) {
  }
  return err;
}

std::optional<Ended> Subprocess::wait(int timeout_ms) {
  if (ended_) return ended_;
  pollfd ready{process_.get(), POLLIN, 0};
  if (process_) {
    if (::poll(&ready, 1, timeout_ms) <= 0) return std::nullopt;
  } else {
    ::poll(nullptr, 0, timeout_ms < 0 || timeout_ms > 10 ? 10 : timeout_ms);  // before Linux 5.3
  }
  int status = 0;
  rusage usage{};
  const pid_t got = ::wait4(pid_, &status, WNOHANG, &usage);
  if (got == 0 || (got < 0 && errno == EINTR))
    return std::nullopt;  // otherwise the child has ended, and is reaped now at the latest
  const int code = WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
  ended_ = Ended{code, seconds(usage.ru_utime), seconds(usage.ru_stime)};
  return ended_;
}

void Subprocess::send(int signal) const {
  if (pid_ > 0 && !ended_) ::kill(pid_, signal);
}

}  // namespace fathom::base::system
