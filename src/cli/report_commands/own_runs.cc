// Starts a run and waits for it.
#include "cli/report_commands/own_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/system/fd.h"
#include "base/system/subprocess.h"
#include "cli/exit_codes.h"

namespace fathom::cli::report_commands {

using base::system::Subprocess;

namespace {

// A pipe for the run, which opens its write end by number: that descriptor has no close-on-exec flag.
class Seconds {
 public:
  base::Expected<void> open() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_NONBLOCK) != 0) return base::system_error("create a pipe", errno);
    from_.reset(ends[0]), to_.reset(ends[1]);
    ::fcntl(from_.get(), F_SETFD, FD_CLOEXEC);
    return {};
  }
  std::string word() const { return fmt::format("--live=json:/dev/fd/{}", to_.get()); }
  // Passes on the complete lines that have arrived.
  void take(const SecondListener& on_second) {
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(from_.get(), buffer, sizeof buffer)) > 0;)
      text_.append(buffer, static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = text_.find('\n')) != text_.npos; text_.erase(0, end + 1))
      on_second(text_.substr(0, end));
  }

 private:
  base::system::UniqueFd from_, to_;
  std::string text_;
};

}  // namespace

base::Expected<int> run_once(const std::vector<std::string>& words, const std::atomic<std::uint32_t>& stopped,
                             const SecondListener& on_second) {
  std::vector<std::string> args = {"/proc/self/exe", "run"};
  args.insert(args.end(), words.begin(), words.end());
  Seconds seconds;
  if (on_second) {
    if (auto ok = seconds.open(); !ok) return ok.error();
    args.push_back(seconds.word());
  }
  // If this process is killed, no destructor runs. So the kernel kills the run: otherwise the next start would measure
  // at the same time.
  auto child = Subprocess::hold(args, Subprocess::Orphan::killed, [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  if (!child) return child.error();
  if (const int err = child->let_go(); err != 0) return base::system_error("start a run", err);
  constexpr int kLook_ms = 200, kForever_ms = -1;
  for (;;) {
    const auto ended = child->wait(on_second ? kLook_ms : kForever_ms);
    if (on_second) seconds.take(on_second);
    if (ended) return ended->status;
    if (stopped.load() > 0) child->send(SIGTERM);
  }
}

std::string unused_directory(const std::string& name) {
  std::error_code error;
  const auto is_used = [&](const std::string& folder) {
    return std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error);
  };
  std::string folder = name;
  for (int i = 2; is_used(folder); ++i) folder = fmt::format("{}-{}", name, i);
  return folder;
}

base::Error not_run(const std::string& job, int status) {
  base::Error error;
  error.kind = status == kPrivilege ? base::ErrorKind::privilege
               : status == kUsage   ? base::ErrorKind::usage
                                    : base::ErrorKind::io;
  error.what = fmt::format("the run of `{}` ended with status {}", job, status);
  error.help = fmt::format("`fathom run {}` shows why", job);
  return error;
}

}  // namespace fathom::cli::report_commands
