// A command to be observed. The child waits on a pipe before its exec, so that the observer is ready when it begins; a
// second pipe, closed by the exec itself, brings back why there was none.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "paging/learn/learn.h"

namespace fathom::paging::learn {
namespace {

[[noreturn]] void be_command(std::vector<char*>& words, int hold, int failure) {
  char byte = 0;
  ssize_t n = 0;
  do n = read(hold, &byte, 1);
  while (n < 0 && errno == EINTR);
  if (n == 1) execvp(words[0], words.data());
  const int error = n == 1 ? errno : ECANCELED;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

}  // namespace

base::Expected<Command> Command::start(const std::vector<std::string>& words) {
  base::Error none;
  none.what = "no command to observe";
  if (words.empty()) return none;
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  int hold[2], failure[2];
  if (pipe2(hold, O_CLOEXEC) != 0) return base::system_error("pipe", errno);
  base::UniqueFd hold_read(hold[0]), hold_write(hold[1]);
  if (pipe2(failure, O_CLOEXEC) != 0) return base::system_error("pipe", errno);
  base::UniqueFd failure_read(failure[0]), failure_write(failure[1]);
  const pid_t pid = fork();
  if (pid < 0) return base::system_error("fork", errno);
  if (pid == 0) {
    close(hold_write.release());  // so that the caller's end is the only one
    be_command(pointers, hold[0], failure[1]);
  }
  Command out;
  out.pid_ = pid;
  out.hold_ = std::move(hold_write);
  out.failure_ = std::move(failure_read);
  return out;
}

Command::Command(Command&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      gone_(other.gone_),
      status_(other.status_),
      hold_(std::move(other.hold_)),
      failure_(std::move(other.failure_)) {}

Command::~Command() {
  hold_.reset();
  if (pid_ > 0 && !gone_) wait();
}

base::Expected<void> Command::go() {
  gone_ = true;
  (void)!write(hold_.get(), "", 1);
  hold_.reset();
  int error = 0;
  ssize_t n = 0;
  do n = read(failure_.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  failure_.reset();
  if (n != sizeof error) return {};
  wait();
  base::Error out = base::system_error("start the command", error);
  out.kind = base::ErrorKind::usage;
  return out;
}

std::optional<int> Command::poll() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

int Command::wait() {
  int status = 0;
  while (!status_) {
    const pid_t got = waitpid(pid_, &status, 0);
    if (got == pid_ || (got < 0 && errno != EINTR)) status_ = status;
  }
  return *status_;
}

}  // namespace fathom::paging::learn
