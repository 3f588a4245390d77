// The child reads one byte and then executes: an event that is enabled by exec counts nothing of ours. A pipe that exec
// closes tells whether it worked.
#include "cli/workload.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/signals.h"

namespace fathom::cli {
namespace {

struct Pipe {
  base::UniqueFd read, write;
};

// Sockets: writing to a child that is gone is then an error and no signal.
base::Expected<Pipe> make_pipe() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
    return base::system_error("make a pipe to the command", errno);
  return Pipe{base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

[[noreturn]] void become(const std::vector<std::string>& command, const Pipe& go, const Pipe& failed) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  char byte = 0;
  ssize_t n = 0;
  do n = ::read(go.read.get(), &byte, 1);
  while (n < 0 && errno == EINTR);
  if (n == 1) {
    restore_broken_pipes();
    ::execvp(words[0], words.data());
  }
  const int err = errno;
  if (n == 1) (void)!::write(failed.write.get(), &err, sizeof err);
  ::_exit(kNotStarted);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Workload::Workload(pid_t pid, base::UniqueFd process, base::UniqueFd go, base::UniqueFd failed)
    : pid_(pid), process_(std::move(process)), go_(std::move(go)), failed_(std::move(failed)) {}

Workload::Workload(Workload&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      process_(std::move(other.process_)),
      go_(std::move(other.go_)),
      failed_(std::move(other.failed_)) {}

Workload::~Workload() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

base::Expected<Workload> Workload::hold(const std::vector<std::string>& command) {
  auto go = make_pipe(), failed = make_pipe();
  if (!go) return go.error();
  if (!failed) return failed.error();
  const pid_t pid = ::fork();
  if (pid < 0) return base::system_error("start `" + command[0] + "`", errno);
  if (pid == 0) {
    go->write.reset();
    failed->read.reset();
    become(command, *go, *failed);
  }
  base::UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return Workload(pid, std::move(process), std::move(go->write), std::move(failed->read));
}

base::Expected<void> Workload::start(const std::string& name) {
  if (::send(go_.get(), "g", 1, MSG_NOSIGNAL) != 1) return base::system_error("start `" + name + "`", errno);
  go_.reset();
  int err = 0;
  ssize_t n = 0;
  do n = ::read(failed_.get(), &err, sizeof err);
  while (n < 0 && errno == EINTR);
  if (n != static_cast<ssize_t>(sizeof err)) return {};
  base::Error error;
  error.what = "the command `" + name + "` cannot be started: " + std::strerror(err);
  error.help = err == ENOENT ? "is it in PATH?" : "";
  error.sys_errno = err;
  return error;
}

std::optional<Ended> Workload::wait(int timeout_ms) {
  pollfd ready{process_.get(), POLLIN, 0};
  if (process_) {
    if (::poll(&ready, 1, timeout_ms) <= 0) return std::nullopt;
  } else {
    ::poll(nullptr, 0, timeout_ms < 0 || timeout_ms > 10 ? 10 : timeout_ms);  // before Linux 5.3
  }
  int status = 0;
  rusage usage{};
  if (::wait4(pid_, &status, WNOHANG, &usage) != pid_) return std::nullopt;
  pid_ = -1;
  const int code = WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
  return Ended{code, seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

void Workload::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

}  // namespace fathom::cli
