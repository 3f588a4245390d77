// The shell is told the file and the command as words, so that neither has to be quoted.
#include "run/exec_step.h"

#include <signal.h>

#include "base/subprocess.h"

namespace fathom::run {
namespace {

constexpr int kLook_ms = 50;

// A worker does not hear the terminal's signals; the command does.
void hear_signals() {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

std::string exec_output_file(const job::Job& job, const char* which) { return job.name + "." + which + ".txt"; }

base::Expected<int> run_command(const job::Job& job, const std::string& command, const char* which,
                                const std::atomic<std::uint32_t>& stop) {
  const std::vector<std::string> words{"/bin/sh", "-c", "exec >\"$0\" 2>&1 && eval \"$1\"",
                                       exec_output_file(job, which), command};
  auto process = base::Subprocess::hold(words, base::Subprocess::Orphan::killed, hear_signals);
  if (!process) return process.error();
  if (const int err = process->let_go(); err != 0) return base::system_error("start /bin/sh", err);
  for (;;) {
    if (const auto ended = process->wait(kLook_ms)) return ended->status;
    if (stop.load() != 0) process->send(SIGTERM);
  }
}

}  // namespace fathom::run
