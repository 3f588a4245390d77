// `fathom paging learn` (session/paging_learn.h): prints the profile, and says on standard error what it rests on.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

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
#include "session/paging_learn.h"

namespace fathom::cli::paging_commands {
namespace {

using paging::learn::LearnPlan;

struct LearnOptions {
  session::LearnRequest asked;
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
  auto& plan = o.asked.plan;
  o.asked.command = std::move(command);
  plan.duration_s = o.asked.command.empty() ? 10 : 0;
  const auto given = options::read_command_line(kManual, args, options::Targets(o, plan));
  if (!given) return given.error();
  help = given->help;
  if (!given->words.empty())
    return usage_error(fmt::format("`{}` is no option", given->words[0]), "", "a command stands behind `--`");
  o.list = plan.method == "list";
  if (!help && !o.list && (plan.pid != 0) != o.asked.command.empty())
    return usage_error(plan.pid == 0 ? "nothing to watch" : "--pid and a command: watch one of them", "",
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

std::string progress_text(const paging::learn::LearnProgress& p) {
  constexpr const char* kPhases[] = {"settling", "choosing an interval", "observing", "fitting"};
  return fmt::format("{} {:.1f} s, {} pages, {:.1f}% touched in the last interval", kPhases[static_cast<int>(p.phase)],
                     p.elapsed_s, p.pages, 100 * p.touched_share);
}

session::LearnListener listener_of(PagingStatus& status, report_commands::ReportFile& file) {
  session::LearnListener heard;
  heard.on_finding = [](const result::Finding& finding) { write_text(stderr, finding_text(finding)); };
  heard.on_progress = [&](const auto& p) { status.say(progress_text(p)); };
  heard.on_observed = heard.on_ended = [&] { status.clear(); };
  heard.on_learnt = [&](const paging::learn::Learnt& learnt) {
    write_text(stderr, evidence_text(learnt));
    return file.write(paging::sources::write_profile(learnt.profile));
  };
  heard.on_error = [](const base::Error& error) { show_error(error, kManual.command); };
  heard.on_waiting = [&] { status.say("waiting for the command to end"); };
  return heard;
}

// The exit status: a command's, once it runs.
base::Expected<int> run(const LearnOptions& options, std::atomic<std::uint32_t>& stop) {
  report_commands::ReportFile file;
  PagingStatus status(options.eta);
  const auto listener = listener_of(status, file);
  if (auto ok = session::check_learning(options.asked, listener); !ok) return ok.error();
  if (auto ok = file.open(options.output); !ok) return ok.error();
  const auto ended = session::learn_as_asked(options.asked, listener, stop);
  if (!ended) return ended.error();
  return *ended ? (*ended)->status : static_cast<int>(kOk);
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
