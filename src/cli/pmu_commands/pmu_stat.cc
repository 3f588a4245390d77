// From names to a report: parse, run (once, -r times, or once an event), sum, show.
#include "cli/pmu_commands/pmu_stat.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/exit_codes.h"
#include "cli/manuals.h"
#include "cli/pmu_commands/pmu_stat_notes.h"
#include "cli/pmu_commands/pmu_stat_options.h"
#include "cli/pmu_commands/pmu_stat_result.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "cli/terminal.h"
#include "pmu/passes.h"
#include "pmu/scaling.h"
#include "pmu/stat_row.h"
#include "report/document.h"
#include "report/pmu_stat.h"
#include "session/count.h"

namespace fathom::cli::pmu_commands {
namespace {

constexpr const char* kProgram = "fathom pmu stat";

std::uint64_t in_ns(double s) { return static_cast<std::uint64_t>(std::llround(s * 1e9)); }

class Stat {
 public:
  explicit Stat(StatOptions options) : options_(std::move(options)) {}
  base::Expected<int> run();
  bool not_started() const { return not_started_; }

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  base::Expected<void> open_output();
  base::Expected<void> resolve();
  base::Expected<void> one_run();
  base::Expected<session::Counted> count(std::vector<pmu::events::Event> events);
  bool on_interval(double time_s, const std::vector<pmu::events::EventCount>& counts);
  std::string interval_text(const result::PmuIntervalRows& interval) const;
  void take_slots(session::Counted& counted);
  void take_names(const session::Counted& counted);
  base::Expected<void> write(const std::string& text);
  std::string rendered() const;
  bool stopped() const { return stop_ != nullptr && stop_->load() != StopLevel::none; }

  StatOptions options_;
  pmu::events::EventSources sources_;
  std::vector<pmu::events::Event> events_;
  StatFound found_;
  result::PmuStat report_;
  std::vector<std::vector<pmu::StatRow>> runs_;
  std::vector<pmu::events::EventCount> before_;  // at the interval before
  std::size_t shown_ = 0;
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::FILE* out_ = stderr;
  const std::atomic<StopLevel>* stop_ = nullptr;
  std::optional<base::Error> not_written_;  // an interval
  std::shared_ptr<void> open_;              // counters of the last run, until all is printed
  bool not_started_ = false;
};

base::Expected<void> Stat::open_output() {
  if (options_.output == "-") out_ = stdout;
  if (options_.output.empty() || options_.output == "-") return {};
  file_.reset(std::fopen(options_.output.c_str(), options_.append ? "ae" : "we"));
  if (!file_) return base::system_error("open `" + options_.output + "` for the report", errno);
  out_ = file_.get();
  return {};
}

base::Expected<void> Stat::write(const std::string& text) {
  if (write_text(out_, text) && std::fflush(out_) == 0) return {};
  return base::system_error("write the report", errno);
}

base::Expected<void> Stat::resolve() {
  auto events = pmu::events::parse_events(options_.events, sources_);
  if (!events) return events.error();
  events_ = std::move(*events);
  report_.notes = pmu::add_windows(events_, sources_, options_.passes);
  for (auto& event : events_) event.pinned |= options_.pinned;
  found_.events = pmu::stat_events(events_, sources_, options_.unit_bytes);
  for (auto& event : events_)
    if (options_.slots) event.group = -1;
  if (options_.passes) {
    events_ = pmu::passes(std::move(events_));
    report_.notes.push_back("every event was counted in a run of its own");
  }
  for (const auto& word : options_.command) report_.command += (report_.command.empty() ? "" : " ") + word;
  report_.system_wide = options_.all_cpus;
  report_.runs = options_.runs;
  return {};
}

base::Expected<session::Counted> Stat::count(std::vector<pmu::events::Event> events) {
  session::CountPlan plan;
  plan.before_exec = restore_broken_pipes;
  plan.events = std::move(events);
  plan.command = options_.command;
  plan.all_cpus = options_.all_cpus;
  plan.interval_ms = options_.interval_ms;
  plan.slots = options_.slots;
  plan.stop = stop_;
  plan.on_interval = [this](double time_s, const auto& counts) { return on_interval(time_s, counts); };
  open_.reset();
  auto counted = session::count_once(plan, not_started_);
  if (!counted) return counted;
  open_ = counted->open;
  if (const auto& ended = counted->ended) report_.ended = {ended->user_s, ended->system_s, ended->status};
  if (runs_.empty()) report_.notes.insert(report_.notes.end(), counted->notes.begin(), counted->notes.end());
  return counted;
}

// One run of the report: one of the command, or one an event with --passes.
base::Expected<void> Stat::one_run() {
  std::vector<pmu::events::EventCount> counts;
  std::vector<double> elapsed_s;
  session::Counted all;
  const std::size_t rounds = options_.passes ? events_.size() : 1;
  for (std::size_t i = 0; i < rounds && !(i > 0 && stopped()); ++i) {
    auto counted = count(options_.passes ? std::vector{events_[i]} : events_);
    if (!counted) return counted.error();
    if (counted->slots) take_slots(*counted);
    elapsed_s.push_back(counted->elapsed_s);
    all.counts.insert(all.counts.end(), counted->counts.begin(), counted->counts.end());
    all.events.insert(all.events.end(), counted->events.begin(), counted->events.end());
    all.lost_at_s.insert(all.lost_at_s.end(), counted->lost_at_s.begin(), counted->lost_at_s.end());
  }
  all.counts.resize(events_.size());
  all.lost_at_s.resize(events_.size());
  take_names(all);
  runs_.push_back(pmu::stat_rows(found_.events, all.counts));
  report_.elapsed_ns.push_back(in_ns(pmu::mean_of(elapsed_s).mean));
  return {};
}

void Stat::take_slots(session::Counted& counted) {
  auto found = slot_report(*counted.slots, found_.events, *options_.slots);
  counted.counts = std::move(found.counts);
  found_.slots = std::move(found.intervals);
  report_.notes.insert(report_.notes.end(), found.notes.begin(), found.notes.end());
}

void Stat::take_names(const session::Counted& counted) {
  found_.lost_at_s.resize(found_.events.size());
  for (std::size_t i = 0; i < found_.events.size(); ++i) {
    auto& event = found_.events[i];
    if (event.parts.front() < counted.events.size()) event.name = counted.events[event.parts.front()].shown();
    for (const auto part : event.parts)
      if (!found_.lost_at_s[i]) found_.lost_at_s[i] = counted.lost_at_s[part];
  }
}

std::string Stat::interval_text(const result::PmuIntervalRows& interval) const {
  switch (options_.format) {
    case StatFormat::csv:
      return report::pmu_interval_csv(interval, options_.separator);
    case StatFormat::json:
      return report::pmu_interval_json(interval);
    case StatFormat::text:
      break;
  }
  return report::pmu_interval_text(interval, shown_);
}

// False: its reader is gone. A full disk ends nothing and shows at the end.
bool Stat::on_interval(double time_s, const std::vector<pmu::events::EventCount>& counts) {
  std::vector<pmu::events::EventCount> grown;
  before_.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) grown.push_back(pmu::since(before_[i], counts[i]));
  before_ = counts;
  const auto rows = rows_of(found_, pmu::stat_rows(found_.events, grown));
  const auto done = write(interval_text(report::as_stored(result::PmuIntervalRows{in_ns(time_s), rows})));
  ++shown_;
  if (!done && !not_written_) not_written_ = done.error();
  return done || done.error().sys_errno != EPIPE;
}

std::string Stat::rendered() const {
  const bool intervals = options_.interval_ms > 0;
  switch (options_.format) {
    case StatFormat::csv:
      return intervals ? "" : report::pmu_stat_csv(report_, options_.separator);
    case StatFormat::json:
      return intervals ? report::pmu_stat_json_line(report_) : report::pmu_stat_json(report_);
    case StatFormat::text:
      break;
  }
  return intervals ? report::pmu_stat_notes_text(report_) : report::pmu_stat_text(report_);
}

base::Expected<int> Stat::run() {
  if (auto done = resolve(); !done) return done.error();
  if (auto done = open_output(); !done) return done.error();
  stop_ = &install_stop_levels();
  ignore_broken_pipes();
  if (options_.header) {
    if (auto done = write(report::pmu_stat_csv_header(options_.runs > 1, options_.interval_ms > 0,
                                                      options_.slots.has_value(), options_.separator));
        !done)
      return done.error();
  }
  for (unsigned run = 0; run < options_.runs && !(run > 0 && stopped()); ++run)
    if (auto done = one_run(); !done) return done.error();
  report_.runs = static_cast<unsigned>(runs_.size());
  found_.rows = pmu::mean_rows(runs_);
  report_.rows = rows_of(found_, found_.rows);
  const auto notes = stat_notes(found_, events_, options_.passes);
  report_.notes.insert(report_.notes.end(), notes.begin(), notes.end());
  report_ = report::as_stored(report_);
  if (not_written_) return *not_written_;
  if (auto done = write(rendered()); !done) return done.error();
  if (options_.format == StatFormat::csv) write_text(stderr, report::pmu_stat_csv_notes(report_));
  return report_.ended ? report_.ended->exit_status : kOk;
}

}  // namespace

int pmu_stat(std::span<const std::string> args) {
  auto options = read_stat_options(args);
  if (options && options->help) return print_out(options::help_text(pmu_stat_manual()), "fathom pmu stat");
  if (!options) return show_error(options.error(), kProgram), exit_code(options.error(), false);
  Stat stat(std::move(*options));
  const auto status = stat.run();
  if (status) return *status;
  show_error(status.error(), kProgram);
  return stat.not_started() ? base::system::kNotStarted : exit_code(status.error(), false);
}

}  // namespace fathom::cli::pmu_commands
