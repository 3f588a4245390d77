// The order of the runs is seeded by the time: a comparison must not depend on it.
#include "cli/report_commands/compare_runs.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>
#include <utility>

#include "base/prng.h"
#include "base/time.h"
#include "cli/exit_codes.h"
#include "cli/report_commands/own_runs.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"

namespace fathom::cli::report_commands {
namespace {

namespace fs = std::filesystem;

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
    return usage_error(fmt::format("--results: `{}` is not empty", asked.results),
                       "the directory may contain results of other runs",
                       "use a new directory, or compare the stored results: `fathom compare DIR/A DIR/B`");
  std::vector<std::string> folders;
  for (std::size_t side = 0; side < asked.jobs.size(); ++side) {
    folders.push_back((fs::path(asked.results) / side_name(side)).string());
    fs::create_directories(folders.back(), error);
    if (error) return base::system_error("create the directory `" + folders.back() + "`", error.value());
  }
  return folders;
}

}  // namespace

base::Expected<RunsMade> make_runs(const RunsAsked& asked, std::string_view program) {
  auto folders = make_folders(asked);
  if (!folders) return folders.error();
  RunsMade made{std::move(*folders), false};
  show_left_by_killed_runs(program);
  const auto& stopped = install_stop_flag();
  ignore_status_signal();
  base::Prng random(base::epoch_ns());
  const std::size_t all = asked.jobs.size() * asked.repeat;
  std::size_t done = 0;
  for (std::uint64_t round = 1; round <= asked.repeat; ++round)
    for (const auto side : drawn_order(random, asked.jobs.size())) {
      show_line(fmt::format("run {} of {}: {} ({})", ++done, all, side_name(side), asked.jobs[side]), program);
      auto words = asked.options;
      words.insert(words.end(), {asked.jobs[side], "--output-format=json",
                                 fmt::format("--output={}/{:04}.json", made.sides[side], round)});
      const auto status = run_once(words, stopped);
      if (!status) return status.error();
      made.interrupted = stopped.load() > 0 || is_stopped_status(status.value());
      if (made.interrupted) return made;
      if (status.value() != kOk) return not_run(asked.jobs[side], status.value());
    }
  return made;
}

}  // namespace fathom::cli::report_commands
