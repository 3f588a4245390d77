// The job goes through `fathom run`, with its guard and its reports. A bundle may come from anyone. So its job is shown,
// a permission to write in it is refused, and whatever reaches beyond its targets needs --allow-exec.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/printable.h"
#include "bundle/reach.h"
#include "cli/bundle_commands/bundle_command.h"
#include "cli/bundle_commands/opened.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/run_commands/run_command.h"
#include "cli/show_error.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "job/switches.h"
#include "options/rows.h"
#include "report/formats.h"

namespace fathom::cli::bundle_commands {
namespace {

using base::text::printable;

struct RerunAsked {
  std::string key;
  bool allow_exec = false;
};

constexpr options::Row kRerunRows[] = {
    options::text<&RerunAsked::key>(kKeyRow),
    options::flag<&RerunAsked::allow_exec>(
        {"allow-exec", "",
         "permit the job to start programs and to read other files: exec_prerun, exec_postrun, ioengine=exec, include "
         "and others"}),
};

// Options of `fathom run` that are passed on. Those that run no job, name a job or start a program are not.
constexpr std::string_view kOfRun[] = {"output",
                                       "output-format",
                                       "section",
                                       "eta",
                                       "eta-interval",
                                       "eta-newline",
                                       "status-interval",
                                       "readonly",
                                       "idle-prof",
                                       "warnings-fatal",
                                       "aux-path",
                                       "repeat",
                                       "repeat-same",
                                       "log-memory",
                                       "set",
                                       "brief",
                                       "verbose",
                                       "plot",
                                       "report",
                                       "force",
                                       "strict",
                                       "live",
                                       "settle",
                                       "stamps",
                                       "clock-check",
                                       "audit",
                                       "unit-bytes",
                                       "breakdown",
                                       "cost",
                                       "allow-destructive"};

bool is_passed_on(const options::Row& row) {
  return std::find(std::begin(kOfRun), std::end(kOfRun), row.name()) != std::end(kOfRun);
}

std::span<const options::Group> rerun_groups() {
  static const std::vector<options::Row> passed_on = [] {
    std::vector<options::Row> rows;
    for (const auto& group : job::switches())
      for (auto row : group.rows)
        if (is_passed_on(row)) row.apply = nullptr, rows.push_back(row);  // `fathom run` reads the value
    return rows;
  }();
  static const options::Group groups[] = {{"", kRerunRows}, {"of fathom run", passed_on}};
  return groups;
}

std::vector<std::string> words_for_run(const Given& given) {
  std::vector<std::string> words;
  for (const auto& written : given.options) {
    if (!is_passed_on(*written.row)) continue;
    const auto& value = written.assignment.value;
    words.push_back(fmt::format("--{}{}", written.row->name(), value ? "=" + *value : std::string()));
  }
  return words;
}

base::Error refused_job(std::string_view what, const std::vector<bundle::Reach>& found, std::string help) {
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = what;
  for (const auto& reach : found)
    error.cause +=
        fmt::format("{}`{}`{} {}", error.cause.empty() ? "" : "; ", printable(reach.written),
                    reach.section.empty() ? "" : fmt::format(" of [{}]", printable(reach.section)), reach.does);
  error.help = std::move(help);
  return error;
}

base::Expected<void> check_job(const std::string& text, const RerunAsked& asked) {
  const auto permissions = bundle::permissions_in(text);
  if (!permissions) return permissions.error();
  if (!permissions->empty())
    return refused_job("the job of the bundle permits writes", *permissions,
                       "bundle the result with `fathom bundle`, which omits the option; --allow-destructive=DEV here "
                       "permits writes to DEV");
  const auto reaching = bundle::reach_of(text);
  if (!reaching) return reaching.error();
  if (asked.allow_exec || reaching->empty()) return {};
  return refused_job("the job of the bundle does more than I/O on its targets", *reaching,
                     "read the job above; add --allow-exec if you trust its maker");
}

// Line by line: a job file may be long, and its control characters are escaped.
void show_job(const std::string& file, const bundle::Opened& opened, const std::string& text) {
  std::string shown = fmt::format("fathom rerun: the job of `{}`:\n", printable(file));
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    shown += fmt::format("    {}\n", printable(text.substr(at, end - at)));
    at = end + 1;
  }
  if (opened.check.signature == result::Signature::not_checked || opened.check.key.empty())
    shown += "fathom rerun: the maker of the bundle is unknown: --key=PUB.pem is not given\n";
  write_text(stderr, shown);
}

// A bundle that did not pass is not run.
base::Expected<std::optional<std::string>> job_of(const std::string& file, const RerunAsked& asked) {
  constexpr std::size_t kMostText_bytes = job::kMostJobFile_bytes;
  const auto opened = read_bundle(file, asked.key);
  if (!opened) return opened.error();
  if (!opened->check.passed()) {
    write_text(stderr, report::bundle_check_text(opened->check));
    return std::optional<std::string>();
  }
  auto text = bundle::content_of(opened->archive, bundle::kJob, kMostText_bytes);
  if (!text) return text.error();
  show_job(file, *opened, *text);
  if (auto ok = check_job(*text, asked); !ok) return ok.error();
  return std::optional<std::string>(std::move(*text));
}

base::Expected<int> rerun(const Given& given, const RerunAsked& asked, std::span<const std::string> args) {
  if (given.arguments.size() != 1)
    return usage_error(given.arguments.empty() ? std::string("no bundle is given")
                                               : fmt::format("unexpected argument `{}`", printable(given.arguments[1])),
                       "", "write `fathom rerun FILE.zip`; --set=NAME=VALUE changes an option of the jobs");
  const auto& file = given.arguments[0];
  auto text = job_of(file, asked);
  if (!text) return text.error();
  if (!*text) return static_cast<int>(kCheckFailed);
  const report_commands::JobInMemory job{fmt::format("{}:{}", file, bundle::kJob), std::move(**text), file};
  auto words = words_for_run(given);
  words.push_back(job.name);
  std::vector<std::string> typed = {"rerun"};
  typed.insert(typed.end(), args.begin(), args.end());
  return run_commands::run_command(words, false, typed, &job);
}

}  // namespace

const options::Manual& rerun_manual() {
  static const Manual manual{
      "fathom rerun", "[OPTIONS] FILE.zip",
      "Verifies a bundle as `fathom verify-bundle` does, shows its job, and runs it as `fathom run` does.\n"
      "A bundle that does not pass is not run (exit status 1). The job may not permit writes; --allow-destructive\n"
      "here does. It may not start programs or read other files without --allow-exec.\n",
      rerun_groups()};
  return manual;
}

int rerun_command(std::span<const std::string> args) {
  const Manual& manual = rerun_manual();
  RerunAsked asked;
  const auto given = options::read_command_line(manual, args, options::Targets(asked));
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto status = given ? rerun(*given, asked, args) : base::Expected<int>(given.error());
  if (status) return *status;
  show_error(given ? given->placed(status.error()) : status.error(), manual.command);
  return exit_code(status.error(), false);
}

}  // namespace fathom::cli::bundle_commands
