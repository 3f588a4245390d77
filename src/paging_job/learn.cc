// Its rows; a command stands behind `--`.
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
    options::count<&LearnPlan::pid>({"pid=N", "", "watch this process"}, 1, 1 << 30),
    options::time_in<&LearnPlan::duration_s>({"duration=TIME", "10s; a command: until it ends", "at most so long"},
                                             10 * kMillisecond_ns, kMost_ns),
    options::time_in<&LearnPlan::interval_ms, kMillisecond_ns>(
        {"interval=TIME", "", "of one look (chosen, so that bits neither saturate nor stay empty)"},
        kMillisecond_ns / 10, kMost_ns),
    options::text<&LearnPlan::method>(
        {"method=NAME", "", "how to look (the best that this kernel has); `list` says which there are"}),
    options::count<&LearnPlan::most_pages>(
        {"pages=N", "0", "follow so many pages, of more a random part; 0: as many as the method is good for"}, 0,
        1 << 30),
    options::count<&LearnPlan::seed>({"seed=N", "1", "of that sample"}, 0, 1'000'000'000'000'000'000),
    options::text<&ReportOptions::output>({"output=FILE", "", "write the profile there, not to standard output"}),
    options::flag<&ReportOptions::force>({"force", "", "overwrite a file that fathom did not write"}),
    options::choice<&ReportOptions::eta>({"eta=WHEN", "auto", "status line"}, job::kEtas),
};
constexpr options::Group kLearnOptions[] = {{"", kLearnRows}};
constexpr options::Manual kLearnManual{
    "fathom paging learn", "--pid=N | -- COMMAND [arguments]",
    "Watches how a process uses its memory and writes a profile: the exponent of page frequency by rank, the working\n"
    "set, the share of reads, how often the hot set moves. `fathom paging --pattern=profile:FILE` plays it. Of a "
    "command\n"
    "that is several processes the one with the most memory is observed. With a command the exit status is the\n"
    "command's, or 128 and the signal that ended it, also where nothing could be observed.\n",
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
    return usage_error(fmt::format("`{}` is no option", given->arguments[0]), "", "a command stands behind `--`");
  command.list = plan.method == "list";
  if (!command.help && !command.list && (plan.pid != 0) != arguments.empty())
    return usage_error(plan.pid == 0 ? "nothing to watch" : "--pid and a command: watch one of them", "",
                       "`fathom paging learn --pid=4711` or `fathom paging learn -- COMMAND`");
  return command;
}

const options::Manual& learn_manual() { return kLearnManual; }

}  // namespace fathom::paging_job
