// Each run of a point is a separate process, started as a user would start it. Its result is a file. The state file
// gets a line for it after the result is on the medium. However the sweep ends, earlier results remain. The same
// command then resumes it.
#include "cli/sweep_commands/sweep_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "base/prng.h"
#include "base/text/shell_word.h"
#include "base/text/unit_text.h"
#include "base/time.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/report_commands/job_files.h"
#include "cli/report_commands/ours.h"
#include "cli/report_commands/own_runs.h"
#include "cli/report_commands/read_file.h"
#include "cli/report_commands/report_file.h"
#include "cli/report_commands/text_formats.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "cli/sweep_commands/sweep_asked.h"
#include "cli/sweep_commands/sweep_live.h"
#include "import/any_run.h"
#include "report/formats.h"
#include "sweep/outcome.h"
#include "sweep/state.h"
#include "sweep/summary.h"

namespace fathom::cli::sweep_commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "fathom sweep";
constexpr unsigned kMostFailuresInARow = 5;

// The directory name of a setting. A name with lost characters gets a hash, so that no two settings share a directory.
std::string folder_of(const sweep::Setting& setting) {
  constexpr std::size_t kLongest = 200;
  const std::string text = setting.empty() ? "without-a-rate" : sweep::text_of(setting);
  std::string name = text.substr(0, kLongest);
  bool told_apart = text.size() <= kLongest;
  for (char& c : name) {
    told_apart = told_apart && c != '/' && (c == ' ' || static_cast<unsigned char>(c) > ' ');
    if (c == '/' || static_cast<unsigned char>(c) <= ' ') c = c == ' ' ? ',' : '_';
  }
  return told_apart ? name : fmt::format("{}-{:08x}", name, static_cast<std::uint32_t>(std::hash<std::string>()(text)));
}

base::Expected<sweep::Outcome> read_outcome(const std::string& path, const sweep::Asked& asked, sweep::Stage stage) {
  const auto text = report_commands::read_result_file(path);
  if (!text) return text.error();
  const auto run = import::read_any_run(*text, path);
  if (!run) return run.error();
  return sweep::outcome_of(*run, asked.metrics, stage);
}

class Runner {
 public:
  Runner(const SweepPlan& plan, sweep::StateFile& state, const SweepAsked& given, SweepLive& live,
         const std::atomic<std::uint32_t>& stopped)
      : plan_(plan),
        asked_(with_seed(plan.asked, state.seed())),
        state_(state),
        folder_(given.results),
        eta_(given.eta),
        live_(live),
        stopped_(stopped),
        sweep_(asked_),
        seeds_(state.seed()) {}

  // Adds the runs of earlier calls to the sweep. Errors: usage, a missing result, or a run order of another fathom
  // version.
  base::Expected<void> replay();
  // True: the sweep is complete. False: it was stopped.
  base::Expected<bool> run();
  const sweep::Sweep& sweep() const { return sweep_; }

 private:
  static sweep::Asked with_seed(sweep::Asked asked, std::uint64_t seed) {
    asked.seed = seed;
    return asked;
  }
  base::Expected<bool> run_step(const sweep::Step& step);
  std::string eta_word() const;
  void say(const sweep::Step& step, const sweep::Outcome& outcome, double seconds);

  const SweepPlan& plan_;
  sweep::Asked asked_;
  sweep::StateFile& state_;
  fs::path folder_;
  job::Eta eta_;
  SweepLive& live_;
  const std::atomic<std::uint32_t>& stopped_;
  sweep::Sweep sweep_;
  base::Prng seeds_;
  double spent_s_ = 0, written_bytes_ = 0;
  std::size_t made_ = 0;
  unsigned failures_ = 0;
};

base::Expected<void> Runner::replay() {
  if (auto ok = state_.forget_failed_end(); !ok) return ok;
  for (const auto& run : state_.runs()) {
    const auto step = sweep_.next();
    seeds_.next();
    if (!step || sweep::text_of(step->setting) != run.setting || sweep::name(step->stage) != run.stage)
      return usage_error(fmt::format("the sweep in `{}` cannot be resumed", folder_.string()),
                         fmt::format("run {} of `{}` differs from the planned run: another version of fathom made it",
                                     sweep_.history().size() + 1, run.setting),
                         "use --results=DIR with a new directory");
    sweep::Outcome outcome;
    if (run.failure.empty()) {
      auto read = read_outcome((folder_ / run.result).string(), asked_, step->stage);
      if (!read) return read.error();
      outcome = std::move(*read);
    } else {
      outcome.failure = run.failure;
    }
    outcome.results = folder_of(step->setting);
    sweep_.add(std::move(outcome));
  }
  return {};
}

base::Expected<bool> Runner::run() {
  while (const auto step = sweep_.next()) {
    if (stopped_.load() > 0) return false;
    auto went_on = run_step(*step);
    if (!went_on || !went_on.value()) return went_on;
  }
  return true;
}

base::Expected<bool> Runner::run_step(const sweep::Step& step) {
  const auto folder = folder_of(step.setting);
  const auto name = fmt::format("{}/{:04}.json", folder, sweep_.history().size() + 1);
  const auto path = (folder_ / name).string();
  std::error_code error;
  fs::create_directories(folder_ / folder, error);
  if (error) return base::system_error("create the directory `" + (folder_ / folder).string() + "`", error.value());
  base::files::remove_if(path, report_commands::is_ours);  // left by a run that was stopped
  auto words = words_of(plan_, step, seeds_.next() >> 2);
  words.insert(words.end(), {"--output-format=json", "--output=" + path, eta_word()});
  for (auto& word : live_.words()) words.push_back(std::move(word));
  const auto begin = base::monotonic_ns();
  const auto status = report_commands::run_once(
      words, stopped_,
      live_.listener(sweep_.history().size() + 1, sweep_.runs_left() - 1, sweep::text_of(step.setting)));
  if (!status) return status.error();
  const double seconds = static_cast<double>(base::monotonic_ns() - begin) / 1e9;
  if (stopped_.load() > 0 || is_stopped_status(status.value())) return false;
  if (status.value() == kUsage || status.value() == kPrivilege)
    return report_commands::not_run(plan_.job, status.value());
  sweep::Outcome outcome;
  if (auto read = read_outcome(path, asked_, step.stage))
    outcome = std::move(*read);
  else
    outcome.failure = fmt::format("the run ended with status {} and no result", status.value());
  failures_ = outcome.failure.empty() ? 0 : failures_ + 1;
  outcome.results = folder;
  sweep_.add(outcome);  // first, so that the report has it even if its files cannot be written
  say(step, outcome, seconds);
  if (fs::exists(path, error))
    if (auto ok = sweep::sync_file(path); !ok) return ok.error();
  if (auto ok = state_.add({sweep::name(step.stage), sweep::text_of(step.setting), name, outcome.failure}); !ok)
    return ok.error();
  if (failures_ < kMostFailuresInARow) return true;
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = fmt::format("{} runs in a row have no numbers", failures_);
  e.cause = outcome.failure;
  e.help = fmt::format("`fathom run {}` shows why; the same command resumes the sweep", plan_.job);
  return e;
}

std::string Runner::eta_word() const {
  return eta_ == job::Eta::never ? "--eta=never" : eta_ == job::Eta::always ? "--eta=always" : "--eta=auto";
}

// Prints one line per run, so that a log of it is readable too.
void Runner::say(const sweep::Step& step, const sweep::Outcome& outcome, double seconds) {
  spent_s_ += seconds, written_bytes_ += outcome.written_bytes, ++made_;
  const auto left = sweep_.runs_left();
  auto line = fmt::format("run {}, {} left ({})", sweep_.history().size(), left,
                          base::text::minutes_text(spent_s_ / static_cast<double>(made_) * static_cast<double>(left)));
  line += fmt::format(": {}: ", step.setting.empty() ? "as it is" : sweep::text_of(step.setting));
  const auto iops = base::text::unit_text(outcome.iops, base::text::kRateLive);
  if (!outcome.failure.empty())
    line += outcome.failure;
  else if (outcome.numbers[0])
    line += fmt::format("{} IOPS, {} {}", iops, asked_.metrics[0].name,
                        base::text::unit_text(*outcome.numbers[0], base::text::kTimeLive));
  else
    line += fmt::format("{} IOPS without a rate", iops);
  if (written_bytes_ > 0)
    line += fmt::format("; {} written", base::text::size_text(static_cast<std::uint64_t>(written_bytes_)));
  show_line(line, kProgram);
}

base::Expected<sweep::StateFile> open_state(const SweepAsked& given, const SweepPlan& plan) {
  std::error_code error;
  const fs::path folder = given.results, path = folder / "state";
  if (fs::exists(folder, error) && !fs::exists(path, error) && !fs::is_empty(folder, error))
    return usage_error(fmt::format("--results: `{}` is not empty and contains no sweep", given.results),
                       "the directory may contain other results", "use a new directory");
  fs::create_directories(folder, error);
  if (error) return base::system_error("create the directory `" + given.results + "`", error.value());
  return sweep::StateFile::open(path.string(), base::epoch_ns() % 1'000'000'007, plan.named);
}

base::Error no_numbers(const std::string& job, const std::vector<sweep::Done>& history) {
  base::Error error;
  error.kind = base::ErrorKind::io;
  error.what = "no run has numbers";
  error.cause = history.empty() ? "" : history.back().outcome.failure;
  error.help = fmt::format("`fathom run {}` shows why", job);
  return error;
}

base::Expected<int> sweep_job(const Given& command, const SweepAsked& given) {
  const auto formats =
      report_commands::formats_named(report_commands::is_page(command) ? "html" : given.formats, result::Sweep());
  if (!formats) return formats.error();
  auto plan = plan_of(given, command.arguments);
  if (!plan) return plan.error();
  for (const auto& line : told_before(*plan, sweep::Sweep(plan->asked).runs_left())) show_line(line, kProgram);
  if (given.dry_run) return kOk;
  show_left_by_killed_runs(kProgram);
  SweepLive live(given.live);
  if (auto ok = live.start_page(plan->job); !ok) return ok.error();
  auto state = open_state(given, *plan);
  if (!state) return state.error();
  report_commands::Outputs outputs{.named = {}, .overwrite = given.force};
  if (auto ok = report_commands::name_files_of_jobs(words_of_values(*plan), outputs.named); !ok) return ok.error();
  outputs.results = given.results;
  report_commands::ReportFile file, page;
  if (auto ok = file.open(outputs, "--output", given.output); !ok) return ok.error();
  if (!given.report.empty())
    if (auto ok = page.open(outputs, "--report", given.report); !ok) return ok.error();
  const bool output_is_free = !report_commands::is_standard_output(given.output);
  if (auto ok = live.open(outputs, output_is_free, kProgram); !ok) return ok.error();
  ignore_status_signal();
  ignore_broken_pipes();
  Runner runner(*plan, *state, given, live, install_stop_flag());
  if (auto ok = runner.replay(); !ok) return ok.error();
  if (!state->runs().empty())
    show_line(fmt::format("{} runs of this sweep are in `{}`: resuming", state->runs().size(), given.results),
              kProgram);
  const auto ended = runner.run();
  const bool whole = ended && ended.value();
  auto found = sweep::summary_of(runner.sweep(), version_line(), plan->job, !whole);
  if (found.runs > 0 && found.failed_runs == found.runs)  // no other load makes these runs valid
    found.next = base::text::command_text(std::vector<std::string>{"fathom", "run", plan->job});
  else if (const auto next = sweep::next_of(found))
    found.next = command_for(*next, given, *plan);
  const auto followed = live.feed().end([&] { return report::sweep_html(found); });
  if (found.runs > 0) {
    auto written = report_commands::write_reports_to(file, *formats, result::Stored(found), given.plot);
    if (!given.report.empty())  // an error here does not affect the other reports
      if (auto ok = page.write(report::sweep_html(found)); !ok) written = ok;
    if (file.reader_gone()) end_by_broken_pipe();
    if (!written) return written.error();
  }
  if (!ended) return ended.error();
  if (!followed) return followed.error();
  const auto& history = runner.sweep().history();
  if (whole && std::none_of(history.begin(), history.end(), [](const auto& done) {
        return done.outcome.failure.empty() && done.step.stage != sweep::Stage::most;
      }))
    return no_numbers(plan->job, history);
  if (!whole) show_line("stopped; the same command resumes here", kProgram);
  return whole ? static_cast<int>(kOk) : stopped_status();
}

}  // namespace

const Manual& sweep_manual() {
  static const Manual manual{
      kProgram, "[OPTIONS] JOB",
      "Runs a job over a range of loads, or of another option. Prints the curve of latency over load, its knee (the\n"
      "highest rate for its latency), and with --slo the highest load that meets a latency limit. A rate is an open\n"
      "loop: I/Os start when they are due (rate_process=poisson, unless the job sets another), and latency counts "
      "from\n"
      "then. Points run in random order, several times each; the first runs again at the end. docs/load-limits.md has\n"
      "examples.\n",
      sweep_options(),
      "\nExit status: 0; 2 a mistake in the command or the job; 4 runs failed; 128 + signal stopped by a signal.\n"};
  return manual;
}

int sweep_command(std::span<const std::string> args) {
  SweepAsked asked;
  const Manual& manual = sweep_manual();
  const auto given = options::read_command_line(manual, args, options::Targets(asked));
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto done = given ? sweep_job(*given, asked) : base::Expected<int>(given.error());
  if (done) return *done;
  const auto error = given ? given->placed(done.error()) : done.error();
  show_error(as_typed(error, args), manual.command);
  return exit_code(error, false);
}

}  // namespace fathom::cli::sweep_commands
