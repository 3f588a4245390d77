// Its options, and the command after `--`.
#include "paging_job/learn.h"

#include <fmt/format.h>

#include <algorithm>

#include "job/switches.h"
#include "options/command_line.h"
#include "options/rows.h"

namespace fathom::paging_job {
namespace {

using options::usage_error;
using paging::learn::LearnPlan;

constexpr std::uint64_t kMost_ns = 30ull * 86400 * 1'000'000'000;
constexpr std::uint64_t kMillisecond_ns = 1'000'000;

constexpr options::Row kLearnRows[] = {
    options::count<&LearnPlan::pid>({"pid=N", "", "observe this process"}, 1, 1 << 30),
    options::time_in<&LearnPlan::duration_s>(
        {"duration=TIME", "10s; a command: until it ends", "observe for at most TIME"}, 10 * kMillisecond_ns, kMost_ns),
    options::time_in<&LearnPlan::interval_ms, kMillisecond_ns>(
        {"interval=TIME", "",
         "interval between two samples (default: chosen, so that bits neither saturate nor stay empty)"},
        kMillisecond_ns / 10, kMost_ns),
    options::text<&LearnPlan::method>(
        {"method=NAME", "", "method of observation (default: the best of this kernel); `list` lists the methods"}),
    options::count<&LearnPlan::most_pages>(
        {"pages=N", "0", "follow at most N pages, chosen at random; 0: as many as the method allows"}, 0, 1 << 30),
    options::count<&LearnPlan::seed>({"seed=N", "1", "seed of that choice"}, 0, 1'000'000'000'000'000'000),
    options::text<&ReportOptions::output>(
        {"output o=FILE", "", "write the profile to FILE instead of standard output"}),
    options::flag<&ReportOptions::force>({"force", "", "overwrite a file that fathom did not write"}),
    options::choice<&ReportOptions::eta>({"eta=WHEN", "auto", "status line"}, job::kEtas),
};
constexpr options::Group kLearnOptions[] = {{"", kLearnRows}};
constexpr options::Manual kLearnManual{
    "fathom paging learn", "--pid=N | -- COMMAND [arguments]",
    "Observes how a process uses its memory and writes a profile: exponent of page frequency by rank, working set,\n"
    "share of reads, how often the hot set moves. `fathom paging --pattern=profile:FILE` replays it. If the command\n"
    "starts several processes, the one with the most memory is observed. The exit status is that of the command, or\n"
    "128 + the signal that ended it, even if nothing could be observed.\n",
    kLearnOptions};

}  // namespace

base::Expected<LearnCommand> parse_learn(std::span<const std::string> args) {
  LearnCommand command;
  auto& [plan, arguments] = command.request;
  const auto dashes = std::find(args.begin(), args.end(), "--");
  if (dashes != args.end()) arguments.assign(dashes + 1, args.end());
  plan.duration_s = arguments.empty() ? 10 : 0;
  const auto given =
      options::read_command_line(kLearnManual, args.first(static_cast<std::size_t>(dashes - args.begin())),
                                 options::Targets(command.report, plan));
  if (!given) return given.error();
  command.help = given->help;
  if (!given->arguments.empty())
    return usage_error(fmt::format("`{}` is not an option", given->arguments[0]), "", "write a command after `--`");
  command.list = plan.method == "list";
  if (!command.help && !command.list && (plan.pid != 0) != arguments.empty())
    return usage_error(plan.pid == 0 ? "--pid and the command are missing" : "--pid and a command exclude each other",
                       "", "write `fathom paging learn --pid=4711` or `fathom paging learn -- COMMAND`");
  return command;
}

const options::Manual& learn_manual() { return kLearnManual; }

}  // namespace fathom::paging_job
