// The destination and format of the report, and the exit status.
#include "cli/pmu_commands/pmu_stat.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "base/text/printable.h"
#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/pmu_commands/pmu_stat_options.h"
#include "cli/report_commands/report_file.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "report/document.h"
#include "report/page/page.h"
#include "report/pmu_stat.h"
#include "session/counters/stat.h"

namespace fathom::cli::pmu_commands {
namespace {

constexpr const char* kProgram = "fathom pmu stat";

class StatCommand {
 public:
  explicit StatCommand(StatOptions options) : options_(std::move(options)), stat_(options_.plan) {}
  base::Expected<int> run();
  bool not_started() const { return stat_.not_started(); }

 private:
  base::Expected<void> open_output();
  base::Expected<void> write(const std::string& text);
  base::Expected<void> write_header();
  bool on_interval(const result::PmuIntervalRows& interval);
  std::string interval_text(const result::PmuIntervalRows& interval) const;
  std::string rendered(const result::PmuStat& stat) const;
  std::string page_of(result::PmuStat stat) const;  // with the intervals

  StatOptions options_;
  session::counters::Stat stat_;
  std::size_t shown_ = 0;
  std::vector<result::PmuIntervalRows> intervals_;  // for the HTML report
  report_commands::ReportFile page_;
  report_commands::Outputs outputs_;
  std::optional<base::files::Stream> file_;  // for --append and intervals: the file grows
  report_commands::ReportFile document_;     // for all other files
  std::optional<std::string> whole_;         // contents for document_
  std::FILE* out_ = stderr;                  // without a file
  std::optional<base::Error> not_written_;   // of an interval
};

base::Expected<void> StatCommand::open_output() {
  if (options_.output == "-") out_ = stdout;
  if (options_.output.empty() || options_.output == "-") return {};
  outputs_.overwrite = options_.force || options_.append;
  if (!options_.append && (options_.plan.interval_ms == 0 || options_.format == StatFormat::html)) {
    whole_.emplace();
    return document_.open(outputs_, "--output", options_.output);
  }
  auto place = outputs_.look("--output", options_.output);
  if (!place) return place.error();
  using Start = base::files::Stream::Start;
  file_.emplace(std::move(*place), options_.append ? Start::appended : Start::emptied);
  outputs_.overwrite = options_.force;
  return {};
}

base::Expected<void> StatCommand::write(const std::string& text) {
  if (file_) return file_->write(base::text::printable_lines(text));
  if (whole_) {
    *whole_ += text;
    return {};
  }
  if (write_text(out_, text) && std::fflush(out_) == 0) return {};
  return base::system_error("write the report", errno);
}

base::Expected<void> StatCommand::write_header() {
  if (!std::exchange(options_.header, false)) return {};
  const auto& plan = options_.plan;
  return write(report::pmu_stat_csv_header(
      {plan.runs > 1, plan.interval_ms > 0, plan.slots.has_value(), stat_.place_kind()}, options_.separator));
}

std::string StatCommand::interval_text(const result::PmuIntervalRows& interval) const {
  switch (options_.format) {
    case StatFormat::csv:
      return report::pmu_interval_csv(interval, options_.separator);
    case StatFormat::json:
      return report::pmu_interval_json(interval);
    case StatFormat::perf_json:
      return report::pmu_interval_perf_json(interval);
    case StatFormat::html:
      return "";
    case StatFormat::text:
      break;
  }
  return report::pmu_interval_text(interval, shown_);
}

// False: the reader closed the pipe. A full disk does not end the run, and is reported at its end.
bool StatCommand::on_interval(const result::PmuIntervalRows& interval) {
  const auto stored = report::as_stored(interval);
  if (!options_.report.empty() || options_.format == StatFormat::html) intervals_.push_back(stored);
  auto done = write_header();
  if (done) done = write(interval_text(stored));
  ++shown_;
  if (!done && !not_written_) not_written_ = done.error();
  return done || done.error().sys_errno != EPIPE;
}

std::string StatCommand::page_of(result::PmuStat stat) const {
  stat.intervals = intervals_;
  return report::page::of_one(result::Stored(std::move(stat)));
}

std::string StatCommand::rendered(const result::PmuStat& stat) const {
  const bool intervals = options_.plan.interval_ms > 0;
  switch (options_.format) {
    case StatFormat::csv:
      return intervals ? "" : report::pmu_stat_csv(stat, options_.separator);
    case StatFormat::json:
      return intervals ? report::pmu_stat_json_line(stat) : report::pmu_stat_json(stat);
    case StatFormat::perf_json:
      return intervals ? "" : report::pmu_stat_perf_json(stat);
    case StatFormat::html:
      return page_of(stat);
    case StatFormat::text:
      break;
  }
  return intervals ? report::pmu_stat_notes_text(stat) : report::pmu_stat_text(stat);
}

base::Expected<int> StatCommand::run() {
  if (auto done = stat_.resolve(); !done) return done.error();
  if (auto done = open_output(); !done) return done.error();
  if (!options_.report.empty())
    if (auto done = page_.open(outputs_, "--report", options_.report); !done) return done.error();
  show_left_by_killed_runs(kProgram);
  const auto& stop = install_stop_levels();
  ignore_status_signal();
  ignore_broken_pipes();
  const auto counted = stat_.run(stop, [this](const auto& interval) { return on_interval(interval); });
  if (!counted) return counted.error();
  const auto stat = report::as_stored(*counted);
  if (!options_.report.empty())
    if (auto done = page_.write(page_of(stat)); !done) return done.error();
  if (not_written_) return *not_written_;
  if (auto done = write_header(); !done) return done.error();
  if (auto done = write(rendered(stat)); !done) return done.error();
  if (whole_)
    if (auto done = document_.write(*whole_); !done) return done.error();
  if (options_.format == StatFormat::csv || options_.format == StatFormat::perf_json)
    write_text(stderr, report::pmu_stat_csv_notes(stat));
  return stat.ended ? stat.ended->exit_status : kOk;
}

}  // namespace

int pmu_stat(std::span<const std::string> args) {
  auto options = read_stat_options(args);
  if (options && options->help) return print_out(options::help_text(pmu_stat_manual()), "fathom pmu stat");
  if (!options) return show_error(options.error(), kProgram), exit_code(options.error(), false);
  options->plan.before_exec = restore_broken_pipes;
  StatCommand stat(std::move(*options));
  const auto status = stat.run();
  if (status) return *status;
  show_error(status.error(), kProgram);
  return stat.not_started() ? base::system::kNotStarted : exit_code(status.error(), false);
}

}  // namespace fathom::cli::pmu_commands
