// `fathom nvme serve`: the emulated controller on vfio-user sockets, until a signal ends it.
#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "base/system/affinity.h"
#include "base/system/cpu_list.h"
#include "base/text/printable.h"
#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "options/rows.h"
#include "session/controllers/soft_servers.h"

namespace fathom::cli::nvme_commands {
namespace {

using session::controllers::AskedServers;

constexpr options::Row kServeRows[] = {
    options::append<&AskedServers::sockets>(
        {"socket=PATH", "", "listen on this socket (a directory: PATH/cntrl); once per controller (repeatable)"}),
    options::text<&AskedServers::soft>(
        {"soft=OPTIONS", "ideal",
         "properties of the controllers, as after `soft:`: size=1g,bs=512,ideal,latency=fixed:80us ..."}),
    options::count<&AskedServers::cpu>({"cpu=N", "", "run on this CPU only"}, 0, base::system::kMostCpu),
};
constexpr options::Group kServeOptions[] = {{"", kServeRows}};
constexpr Manual kServeManual{
    "fathom nvme serve", "--socket=PATH [--socket=PATH ...] [--soft=OPTIONS] [--cpu=N]",
    "Exports an emulated controller over vfio-user until SIGINT or SIGTERM. While a client is connected, it polls and\n"
    "uses one CPU. Default of --soft: `ideal`, which completes commands and moves no data.\n",
    kServeOptions};

// A separate thread waits for the two signals that end the service: no handler, no race with a sleep.
class UntilSignal {
 public:
  UntilSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    sigaddset(&signals_, SIGUSR1);  // from the destructor: ends the wait
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    waiter_ = std::thread([this] {
      int received = 0;
      sigwait(&signals_, &received);
      stop_ = true;
    });
  }
  ~UntilSignal() {
    pthread_kill(waiter_.native_handle(), SIGUSR1);
    waiter_.join();
  }
  UntilSignal(const UntilSignal&) = delete;
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  sigset_t signals_;
  std::atomic<bool> stop_{false};
  std::thread waiter_;
};

// Called before a socket is created and announced.
base::Expected<void> stay_on(int cpu) {
  if (cpu < 0 || base::system::run_on(cpu) == 0) return {};
  return usage_error(fmt::format("--cpu={}: cannot run on this CPU", cpu),
                     "the CPU does not exist, or this process may not use it",
                     "run `nproc` and `taskset -p $$` to see the usable CPUs");
}

base::Expected<std::string> serve(const Given& given, const AskedServers& asked) {
  if (!given.arguments.empty())
    return usage_error("`" + given.arguments[0] + "`: serve takes no arguments", "",
                       "write `--socket=" + given.arguments[0] + "`");
  if (asked.sockets.empty()) return usage_error("no socket to listen on", "", "write `--socket=/run/nvme0.sock`");
  if (auto ok = stay_on(asked.cpu); !ok) return ok.error();
  const UntilSignal until;
  const auto announce = [](const std::string& socket) {
    const auto path = base::text::printable(socket);
    write_text(stdout, fmt::format("serving at {}: --device=vfio-user:{}\n", path, path));
    std::fflush(stdout);
  };
  if (auto ok = session::controllers::serve_soft(asked, until.stop(), announce); !ok) return ok.error();
  return std::string("stopped\n");
}

}  // namespace

const Manual& nvme_serve_manual() { return kServeManual; }

int nvme_serve_command(std::span<const std::string> args) { return with_options(kServeManual, args, serve); }

}  // namespace fathom::cli::nvme_commands
