// Starting and waiting.
#include "cli/report_commands/own_runs.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/system/subprocess.h"
#include "cli/exit_codes.h"

namespace fathom::cli::report_commands {

using base::system::Subprocess;

base::Expected<int> run_once(const std::vector<std::string>& words, const std::atomic<std::uint32_t>& stopped) {
  std::vector<std::string> args = {"/proc/self/exe", "run"};
  args.insert(args.end(), words.begin(), words.end());
  // Killed, this process destroys nothing: the kernel ends the run then, or the next start would measure beside it.
  auto child = Subprocess::hold(args, Subprocess::Orphan::killed, [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
  if (!child) return child.error();
  if (const int err = child->let_go(); err != 0) return base::system_error("start a run", err);
  for (;;) {
    if (const auto ended = child->wait(-1)) return ended->status;
    if (stopped.load() > 0) child->send(SIGTERM);
  }
}

base::Error not_run(const std::string& job, int status) {
  base::Error error;
  error.kind = status == kPrivilege ? base::ErrorKind::privilege
               : status == kUsage   ? base::ErrorKind::usage
                                    : base::ErrorKind::io;
  error.what = fmt::format("the run of `{}` ended with status {}", job, status);
  error.help = fmt::format("`fathom run {}` says why", job);
  return error;
}

}  // namespace fathom::cli::report_commands
