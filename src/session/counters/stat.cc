// From names to a result: parse, run (once, several times, or once per event), sum.
#include "session/counters/stat.h"

#include <cmath>
#include <utility>

#include "base/time.h"
#include "pmu/events/event_names.h"
#include "pmu/passes.h"
#include "pmu/scaling.h"
#include "session/counters/stat_metrics.h"
#include "session/counters/stat_notes.h"
#include "session/counters/stat_slots.h"
#include "session/identity.h"

namespace fathom::session::counters {
namespace {

std::uint64_t in_ns(double s) { return static_cast<std::uint64_t>(std::llround(s * 1e9)); }

}  // namespace

Stat::Stat(StatPlan plan) : plan_(std::move(plan)), sources_(plan_.prefix) {}

std::string Stat::names() const {
  const auto* cpu = sources_.find("cpu");
  const bool stalls = cpu != nullptr && cpu->find("stalled-cycles-frontend") != nullptr;
  const std::string detailed = pmu::events::detailed_events(plan_.detail);
  const std::string named = plan_.events.empty() ? pmu::events::default_events(of_cpus(), stalls) : plan_.events;
  return named + (detailed.empty() ? "" : "," + detailed);
}

// Places the events on the CPUs of -C, separately if -A or --per-* requires it.
base::Expected<void> Stat::place() {
  const bool apart = plan_.together != pmu::events::Together::all;
  if (!of_cpus() || (target_.cpus.empty() && !apart)) return {};
  const auto cpus = target_.cpus.empty() ? pmu::events::online_cpus(plan_.prefix) : target_.cpus;
  auto placed = pmu::events::on_cpus(events_, cpus, plan_.together, plan_.prefix);
  for (auto& dropped : dropped_notes(events_, placed)) result_.notes.push_back(std::move(dropped));
  if (placed.empty()) return nothing_on(plan_.cpus, events_.front());
  events_ = std::move(placed);
  return {};
}

base::Expected<void> Stat::resolve() {
  auto target = target_of({plan_.all_cpus, plan_.processes, plan_.threads, plan_.cpus});
  if (!target) return target.error();
  target_ = std::move(*target);
  auto events = pmu::events::parse_events(names(), sources_);
  if (!events) return events.error();
  events_ = std::move(*events);
  result_.notes = target_.notes;
  for (auto& note : pmu::add_windows(events_, sources_, plan_.passes)) result_.notes.push_back(std::move(note));
  if (auto done = place(); !done) return done;
  for (auto& event : events_) event.pinned |= plan_.pinned;
  found_.events = pmu::stat_events(events_, sources_, plan_.unit_bytes);
  for (auto& event : events_)
    if (plan_.slots) event.group = -1;
  if (plan_.passes) {
    events_ = pmu::passes(std::move(events_));
    result_.notes.push_back("each event was counted in a separate run");
  }
  for (const auto& word : plan_.command) result_.command += (result_.command.empty() ? "" : " ") + word;
  result_.system_wide = plan_.all_cpus && !target_.shown;
  result_.target = target_.shown;
  result_.runs = plan_.runs;
  return {};
}

base::Expected<Counted> Stat::count(std::vector<pmu::events::Event> events) {
  CountPlan plan;
  plan.events = std::move(events);
  plan.command = plan_.command;
  plan.all_cpus = of_cpus();
  plan.tasks = target_.tasks;
  plan.interval_ms = plan_.interval_ms;
  plan.delay_ms = plan_.delay_ms;
  plan.timeout_ms = plan_.timeout_ms;
  plan.slots = plan_.slots;
  plan.stop = stop_;
  plan.before_exec = plan_.before_exec;
  plan.calls = plan_.calls;
  plan.prefix = plan_.prefix;
  plan.on_interval = [this](double time_s, const auto& counts) { return tell_interval(time_s, counts); };
  open_.reset();
  auto counted = count_once(plan, not_started_);
  if (!counted) return counted;
  open_ = counted->open;
  if (const auto& ended = counted->ended) result_.ended = {ended->user_s, ended->system_s, ended->status};
  if (runs_.empty()) result_.notes.insert(result_.notes.end(), counted->notes.begin(), counted->notes.end());
  return counted;
}

// One run of the report: one run of the command, or with --passes one run per event.
base::Expected<void> Stat::one_run() {
  std::vector<pmu::events::EventCount> counts;
  std::vector<double> elapsed_s;
  Counted all;
  const std::size_t rounds = plan_.passes ? events_.size() : 1;
  for (std::size_t i = 0; i < rounds && !(i > 0 && stopped()); ++i) {
    auto counted = count(plan_.passes ? std::vector{events_[i]} : events_);
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
  result_.elapsed_ns.push_back(in_ns(pmu::mean_of(elapsed_s).mean));
  return {};
}

void Stat::take_slots(Counted& counted) {
  auto found = slot_report(*counted.slots, found_.events, *plan_.slots);
  counted.counts = std::move(found.counts);
  found_.slots = std::move(found.intervals);
  result_.notes.insert(result_.notes.end(), found.notes.begin(), found.notes.end());
}

void Stat::take_names(const Counted& counted) {
  found_.lost_at_s.resize(found_.events.size());
  for (std::size_t i = 0; i < found_.events.size(); ++i) {
    auto& event = found_.events[i];
    if (event.parts.front() < counted.events.size()) event.name = counted.events[event.parts.front()].shown();
    for (const auto part : event.parts)
      if (!found_.lost_at_s[i]) found_.lost_at_s[i] = counted.lost_at_s[part];
  }
}

std::vector<result::PmuRow> Stat::rows(const std::vector<pmu::StatRow>& found, double window_s) const {
  auto all = rows_of(found_, found);
  add_places(found_, events_, plan_.together, all);
  add_metrics(found_, events_, window_s * 1e9, all);
  return all;
}

bool Stat::tell_interval(double time_s, const std::vector<pmu::events::EventCount>& counts) {
  std::vector<pmu::events::EventCount> grown;
  before_.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) grown.push_back(pmu::since(before_[i], counts[i]));
  before_ = counts;
  if (runs_.empty() && !began_) began_ = base::epoch_ms() - static_cast<std::uint64_t>(time_s * 1000);
  const double length_s = time_s - std::exchange(before_s_, time_s);
  return on_interval_({in_ns(time_s), rows(pmu::stat_rows(found_.events, grown), length_s)});
}

base::Expected<result::PmuStat> Stat::run(const std::atomic<StopLevel>& stop, const IntervalListener& on_interval) {
  stop_ = &stop;
  on_interval_ = on_interval;
  const std::uint64_t called_ms = base::epoch_ms();
  for (unsigned run = 0; run < plan_.runs && !(run > 0 && stopped()); ++run)
    if (auto done = one_run(); !done) return done.error();
  const std::uint64_t began_ms = began_.value_or(called_ms);
  result_.start = {began_ms, utc_offset_s(began_ms).value_or(0)};
  result_.runs = static_cast<unsigned>(runs_.size());
  found_.rows = pmu::mean_rows(runs_);
  result_.rows = rows(found_.rows, result_.elapsed_s().first);
  const auto notes = stat_notes(found_, events_, plan_.passes);
  result_.notes.insert(result_.notes.end(), notes.begin(), notes.end());
  return result_;
}

}  // namespace fathom::session::counters
