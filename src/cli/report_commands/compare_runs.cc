// The order is drawn from the time: nothing in a comparison may depend on it.
#include "cli/report_commands/compare_runs.h"

#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <numeric>
#include <utility>

#include "base/prng.h"
#include "base/system/subprocess.h"
#include "base/time.h"
#include "cli/exit_codes.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"

namespace fathom::cli::report_commands {
namespace {

namespace fs = std::filesystem;
using base::system::Subprocess;

std::string side_name(std::size_t side) {
  return side < 26 ? std::string(1, static_cast<char>('A' + side)) : fmt::format("{}", side + 1);
}

std::vector<std::size_t> drawn_order(base::Prng& random, std::size_t sides) {
  std::vector<std::size_t> order(sides);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = sides; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

base::Expected<std::vector<std::string>> make_folders(const RunsAsked& asked) {
  std::error_code error;
  if (fs::exists(asked.results, error) && !fs::is_empty(asked.results, error))
    return usage_error(fmt::format("--results: `{}` is not empty", asked.results), "results of other runs may be in it",
                       "write another folder, or compare what is there: `fathom compare FOLDER/A FOLDER/B`");
  std::vector<std::string> folders;
  for (std::size_t side = 0; side < asked.jobs.size(); ++side) {
    folders.push_back((fs::path(asked.results) / side_name(side)).string());
    fs::create_directories(folders.back(), error);
    if (error) return base::system_error("make the folder `" + folders.back() + "`", error.value());
  }
  return folders;
}

// A run as the user would start it. Its standard error is the user's, its report a file.
base::Expected<int> run_once(const std::string& job, const std::string& result,
                             const std::atomic<std::uint32_t>& stopped) {
  const std::vector<std::string> args = {"/proc/self/exe", "run", job, "--output-format=json", "--output=" + result};
  auto child = Subprocess::hold(args, Subprocess::Orphan::killed);
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

}  // namespace

base::Expected<RunsMade> make_runs(const RunsAsked& asked, std::string_view program) {
  auto folders = make_folders(asked);
  if (!folders) return folders.error();
  RunsMade made{std::move(*folders), false};
  const auto& stopped = install_stop_flag();
  base::Prng random(base::epoch_ns());
  const std::size_t all = asked.jobs.size() * asked.repeat;
  std::size_t done = 0;
  for (std::uint64_t round = 1; round <= asked.repeat; ++round)
    for (const auto side : drawn_order(random, asked.jobs.size())) {
      show_line(fmt::format("run {} of {}: {} ({})", ++done, all, side_name(side), asked.jobs[side]), program);
      const auto status = run_once(asked.jobs[side], fmt::format("{}/{:04}.json", made.sides[side], round), stopped);
      if (!status) return status.error();
      made.interrupted = stopped.load() > 0 || status.value() == kInterrupted;
      if (made.interrupted) return made;
      if (status.value() != kOk) return not_run(asked.jobs[side], status.value());
    }
  return made;
}

}  // namespace fathom::cli::report_commands
