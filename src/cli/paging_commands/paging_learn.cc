// `fathom paging learn` (session/paging_learn.h): prints the profile, and its evidence on standard error.
#include <fmt/format.h>

#include <cstdio>

#include "cli/exit_codes.h"
#include "cli/paging_commands/paging_command.h"
#include "cli/paging_commands/paging_status.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "live/paging_line.h"
#include "paging/learn/learn.h"
#include "paging_job/learn.h"
#include "session/paging_learn.h"

namespace fathom::cli::paging_commands {
namespace {

constexpr const char* kLearnProgram = "fathom paging learn";

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
                     f.remedy.empty() ? "" : "; help: " + f.remedy);
}

std::string evidence_text(const paging::learn::Learnt& learnt) {
  std::string text;
  for (const auto& [name, value] : learnt.evidence) text += fmt::format("  {}: {}\n", name, value);
  for (const auto& f : learnt.findings) text += finding_text(f);
  return text;
}

session::LearnListener listener_of(PagingStatus& status, report_commands::ReportFile& file) {
  session::LearnListener heard;
  heard.on_finding = [&](const result::Finding& finding) {
    status.clear();
    write_text(stderr, finding_text(finding));
  };
  heard.on_progress = [&](const auto& p) { status.say(live::learn_line(p)); };
  heard.on_observed = heard.on_ended = [&] { status.clear(); };
  heard.on_learnt = [&](const paging::learn::Learnt& learnt) {
    write_text(stderr, evidence_text(learnt));
    return file.write(paging::sources::write_profile(learnt.profile));
  };
  heard.on_error = [&](const base::Error& error) {
    status.clear();
    show_error(error, kLearnProgram);
  };
  heard.on_waiting = [&] { status.say("waiting for the command to end"); };
  return heard;
}

// Returns the exit status: that of the command, once it runs.
base::Expected<int> run(const paging_job::LearnCommand& command, std::atomic<std::uint32_t>& stop) {
  report_commands::ReportFile file;
  PagingStatus status(command.report.eta);
  const auto listener = listener_of(status, file);
  if (auto ok = session::check_learning(command.request, listener); !ok) return ok.error();
  report_commands::Outputs outputs{.named = {}, .overwrite = command.report.force};
  if (auto ok = file.open(outputs, "--output", command.report.output); !ok) return ok.error();
  show_left_by_killed_runs(kLearnProgram);
  const auto ended = session::learn_as_asked(command.request, listener, stop);
  if (!ended) return ended.error();
  return *ended ? (*ended)->status : static_cast<int>(kOk);
}

int fail_learning(const base::Error& error) {
  show_error(error, kLearnProgram);
  return exit_code(error, false);
}

}  // namespace

int paging_learn_command(std::span<const std::string> args) {
  const auto command = paging_job::parse_learn(args);
  if (!command) return fail_learning(command.error());
  if (command->help) return print_out(options::help_text(paging_job::learn_manual()), kLearnProgram);
  if (command->list) return print_out(methods_text(), kLearnProgram);
  auto& stop = install_stop_flag();
  ignore_status_signal();
  const auto status = run(*command, stop);
  if (!status) return fail_learning(status.error());
  return stop.load() > 0 ? stopped_status() : *status;
}

}  // namespace fathom::cli::paging_commands
