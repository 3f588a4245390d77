// Runs the program that the dispatch (cli/dispatch.h) selects.
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/dispatch.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/run_commands/run_command.h"
#include "cli/show_error.h"
#include "cli/terminal.h"

namespace {

using namespace fathom;

int unknown(const std::string& word) {
  base::Error e;
  e.what = "`" + word + "` is neither a subcommand nor a file";
  std::vector<std::string_view> names;
  for (const auto& command : cli::commands()) names.push_back(command.name);
  e.help = base::did_you_mean(word, names, "`fathom help` lists the subcommands", "fathom ");
  cli::show_error(e, "fathom");
  return cli::kUsage;
}

int run_subcommand(const cli::Entry& entry) {
  const auto& command = *cli::find_command(cli::commands(), entry.name);
  if (!command.actions.empty()) return cli::run_command_of(command, entry.args);
  if (command.run != nullptr) return command.run(entry.args);
  base::Error e;
  e.kind = base::ErrorKind::not_built;
  e.what = "`fathom " + entry.name + "` is not supported yet (" + std::string(command.summary) + ")";
  e.help = "`fathom help` lists the supported subcommands";
  cli::show_error(e, "fathom");
  return cli::kUsage;
}

int enter(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto is_file = [](const std::string& path) {
    struct stat st;
    return ::stat(path.c_str(), &st) == 0 && !S_ISDIR(st.st_mode);
  };
  const auto entry = cli::choose_applet(argv[0], args, is_file);
  switch (entry.applet) {
    case cli::Applet::fio:
      return fathom::cli::run_commands::run_command(entry.args, true);
    case cli::Applet::spdk_perf:
      return fathom::cli::nvme_commands::spdk_perf_command(entry.args);
    case cli::Applet::pmbench:
      return fathom::cli::paging_commands::pmbench_command(entry.args);
    case cli::Applet::subcommand:
      return run_subcommand(entry);
    case cli::Applet::unknown:
      return unknown(entry.name);
    case cli::Applet::nothing:
      cli::write_text(stderr, "fathom: no subcommand given; `fathom help` lists the subcommands\n");
      return cli::kUsage;
  }
  return cli::kUsage;
}

}  // namespace

// Catches a lack of memory or descriptors before a run begins. In a run, run/ turns it into a failed job.
int main(int argc, char** argv) {
  ::signal(SIGXFSZ, SIG_IGN);  // with `ulimit -f`, write(2) then returns an error
  try {
    return enter(argc, argv);
  } catch (const std::exception& exception) {
    base::Error e;
    e.kind = base::ErrorKind::privilege;
    e.what = std::string("the system refused a resource that a run needs: ") + exception.what();
    const auto* system = dynamic_cast<const std::system_error*>(&exception);
    const bool forbidden = system != nullptr && system->code().value() == EPERM;
    e.help = forbidden
                 ? "a seccomp profile forbids a system call, often clone3 in an older container runtime: allow it, "
                   "or update the runtime"
                 : "raise `ulimit -n` and `ulimit -v`, or run fewer jobs";
    cli::show_error(e, "fathom");
    return cli::kPrivilege;
  }
}
