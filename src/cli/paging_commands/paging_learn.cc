// `fathom paging learn`: watches a process, prints its profile, and says on standard error what it rests on.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/system/subprocess.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/paging_commands/paging_status.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "job/switches.h"
#include "options/rows.h"
#include "paging/learn/learn.h"
#include "paging/learn/observe/damon_sysfs.h"

namespace fathom::cli::paging_commands {
namespace {

using base::system::Subprocess;
using paging::learn::LearnPlan;

struct LearnOptions {
  LearnPlan plan;
  std::vector<std::string> command;
  std::string output;
  job::Eta eta = job::Eta::automatic;
  bool list = false;
};

constexpr std::uint64_t kMost_ns = 30ull * 86400 * 1'000'000'000;
constexpr std::uint64_t kMillisecond_ns = 1'000'000;

constexpr options::Row kRows[] = {
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
    options::text<&LearnOptions::output>({"output=FILE", "", "write the profile there, not to standard output"}),
    options::choice<&LearnOptions::eta>({"eta=WHEN", "auto", "status line"}, job::kEtas),
};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom paging learn", "--pid=N | -- COMMAND [arguments]",
    "Watches how a process uses its memory and writes a profile: the exponent of page frequency by rank, the working\n"
    "set, the share of reads, how often the hot set moves. `fathom paging --pattern=profile:FILE` plays it. Of a "
    "command\n"
    "that is several processes the one with the most memory is observed. With a command the exit status is the\n"
    "command's, or 128 and the signal that ended it, also where nothing could be observed.\n",
    kOptions};

base::Expected<LearnOptions> read_options(std::span<const std::string> args, std::vector<std::string> command,
                                          bool& help) {
  LearnOptions o;
  o.command = std::move(command);
  o.plan.duration_s = o.command.empty() ? 10 : 0;
  const auto given = options::read_command_line(kManual, args, options::Targets(o, o.plan));
  if (!given) return given.error();
  help = given->help;
  if (!given->arguments.empty())
    return usage_error(fmt::format("`{}` is no option", given->arguments[0]), "", "a command stands behind `--`");
  o.list = o.plan.method == "list";
  if (!help && !o.list && (o.plan.pid != 0) != o.command.empty())
    return usage_error(o.plan.pid == 0 ? "nothing to watch" : "--pid and a command: watch one of them", "",
                       "`fathom paging learn --pid=4711` or `fathom paging learn -- COMMAND`");
  return o;
}

std::string methods_text() {
  std::string text;
  for (const auto& m : paging::learn::methods())
    text += fmt::format("{:<14} {}\n{}{}", m.name, m.available ? "works here" : "no: " + m.cause,
                        m.tells.empty() ? "" : "               tells: " + m.tells + "\n",
                        m.cannot_tell.empty() ? "" : "               cannot tell: " + m.cannot_tell + "\n");
  return text;
}

std::string finding_text(const result::Finding& f) {
  return fmt::format("  {} {}: {}{}\n", name(f.severity), f.id, f.evidence,
                     f.remedy.empty() ? "" : "; remedy: " + f.remedy);
}

std::string evidence_text(const paging::learn::Learnt& learnt) {
  std::string text;
  for (const auto& [name, value] : learnt.evidence) text += fmt::format("  {}: {}\n", name, value);
  for (const auto& f : learnt.findings) text += finding_text(f);
  return text;
}

// A run that was killed may hold DAMON, which this one wants.
void take_stale_state() {
  const auto left = paging::learn::observe::undo_left_damon();
  if (left.says.empty()) return;
  const bool failed = left.outcome == paging::learn::observe::DamonLeft::Outcome::failed;
  write_text(stderr, finding_text({"learn.damon_left", failed ? result::Severity::warning : result::Severity::note, "",
                                   left.says, failed ? "`fathom paging cleanup` as root" : ""}));
}

std::string progress_text(const paging::learn::LearnProgress& p) {
  constexpr const char* kPhases[] = {"settling", "choosing an interval", "observing", "fitting"};
  return fmt::format("{} {:.1f} s, {} pages, {:.1f}% touched in the last interval", kPhases[static_cast<int>(p.phase)],
                     p.elapsed_s, p.pages, 100 * p.touched_share);
}

// Ends with a signal to fathom too: the command then goes on by itself, as one that was only watched.
std::optional<base::system::Ended> wait_for(Subprocess& command, const std::atomic<std::uint32_t>& stop,
                                            paging_commands::PagingStatus& status) {
  constexpr int kTurn_ms = 20;
  status.say("waiting for the command to end");
  auto ended = command.wait(0);
  while (!ended && stop.load() == 0) ended = command.wait(kTurn_ms);
  status.clear();
  return ended;
}

base::Expected<void> observe(const LearnPlan& plan, report_commands::ReportFile& file, std::atomic<std::uint32_t>& stop,
                             paging_commands::PagingStatus& status) {
  const auto learnt = paging::learn::learn(plan, &stop, [&](const auto& p) { status.say(progress_text(p)); });
  status.clear();
  if (!learnt) return learnt.error();
  write_text(stderr, evidence_text(*learnt));
  return file.write(paging::sources::write_profile(learnt->profile));
}

base::Expected<Subprocess> started(const LearnOptions& options, LearnPlan& plan) {
  auto command = Subprocess::hold(options.command, Subprocess::Orphan::goes_on);
  if (!command) return command;
  plan.pid = command->pid();
  plan.whole_command = true;
  plan.command = fmt::format("{}", fmt::join(options.command, " "));
  if (const int err = command->let_go(); err != 0) {
    base::Error error = base::system_error("start the command", err);
    error.kind = base::ErrorKind::usage;
    return error;
  }
  return command;
}

// The exit status. Once a command runs it is the command's, whatever comes of the observation: who put `learn` before
// it wants it done.
base::Expected<int> run(const LearnOptions& options, std::atomic<std::uint32_t>& stop) {
  LearnPlan plan = options.plan;
  take_stale_state();
  if (auto ok = paging::learn::check_learn(plan); !ok) return ok.error();
  report_commands::ReportFile file;
  if (auto ok = file.open(options.output); !ok) return ok.error();
  paging_commands::PagingStatus status(options.eta);
  if (options.command.empty()) {
    if (auto ok = observe(plan, file, stop, status); !ok) return ok.error();
    return static_cast<int>(kOk);
  }
  auto command = started(options, plan);
  if (!command) return command.error();
  if (auto ok = observe(plan, file, stop, status); !ok) show_error(ok.error(), kManual.command);
  const auto ended = wait_for(*command, stop, status);
  return ended ? ended->status : static_cast<int>(kInterrupted);
}

}  // namespace

const Manual& paging_learn_manual() { return kManual; }

int paging_learn_command(std::span<const std::string> args) {
  const auto fail = [](const base::Error& error) {
    show_error(error, kManual.command);
    return exit_code(error, false);
  };
  const auto dashes = std::find(args.begin(), args.end(), "--");
  std::vector<std::string> command;
  if (dashes != args.end()) command.assign(dashes + 1, args.end());
  bool help = false;
  const auto options =
      read_options(args.first(static_cast<std::size_t>(dashes - args.begin())), std::move(command), help);
  if (!options) return fail(options.error());
  if (help) return print_out(options::help_text(kManual), kManual.command);
  if (options->list) return print_out(methods_text(), kManual.command);
  auto& stop = install_stop_flag();
  also_stop_on_hangup();  // DAMON, if it is used, is then restored
  const auto status = run(*options, stop);
  if (!status) return fail(status.error());
  return stop.load() > 0 ? static_cast<int>(kInterrupted) : *status;
}

}  // namespace fathom::cli::paging_commands
