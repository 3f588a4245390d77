// Estimates for the parts of each named event, their sum, and the reasons against the estimates.
#include "session/counters/stat_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/unit_text.h"

namespace fathom::session::counters {
namespace {

constexpr double kMs = 1e6;

// The reason against an event's count, from a second slot length or from the halves of the slots.
std::string doubt_of(const pmu::slots::SlotRun& run, std::uint32_t event,
                     const pmu::slots::SlotRunnerOptions& options) {
  if (options.plans.size() > 1) {
    const auto both = pmu::slots::compare(run.slots, event, run.window_ns, kSlotConfidence);
    if (both.aliased)
      return fmt::format("slots of {:g} ms give {}, slots of {:g} ms give {}: the load is synchronous with the slots",
                         options.plans[0].mean_ns / kMs, base::text::with_commas(both.a.total, false),
                         options.plans[1].mean_ns / kMs, base::text::with_commas(both.b.total, false));
  }
  if (pmu::slots::locked(run.slots, event))
    return "the count changes at the same place in every slot: the load is synchronous with the slots";
  return "";
}

// True: the event needs no counter, so it was counted for the whole window.
bool in_whole(const pmu::slots::SlotRun& run, std::size_t event) {
  return event < run.whole.size() && run.whole[event];
}

std::string too_few(const pmu::StatEvent& named, const pmu::slots::SlotRun& run,
                    std::span<const pmu::slots::Estimate> estimates) {
  std::uint64_t raw = 0;
  std::size_t slots = 0;
  bool few = false;
  for (const auto part : named.parts) {
    if (run.counts[part].state == pmu::events::CountState::not_supported || in_whole(run, part)) continue;
    raw += run.counts[part].raw;
    slots += estimates[part].slots;
    few |= estimates[part].confidence <= 0;
  }
  if (!few) return "";
  return fmt::format(
      "{}: its {} slots are too few for an estimate; at least {} were counted (run longer, or --slots=MS "
      "with a smaller MS)",
      named.name, slots, base::text::with_commas(static_cast<double>(raw) * named.scale, false));
}

// An event that needs no counter was counted for the whole window. Its count is exact, and so is its interval.
pmu::slots::Estimate whole_count(const pmu::events::EventCount& count, double window_ns) {
  pmu::slots::Estimate exact;
  exact.total = exact.low = exact.high = count.scaled;
  exact.confidence = count.state == pmu::events::CountState::counted ? 1 : 0;
  exact.share = window_ns > 0 ? count.running_share : 0;
  return exact;
}

// Events that took turns have no estimate: during the turns, the load had another pace.
std::string effect_note(const pmu::slots::SlotRun& run, const pmu::slots::Effect& effect,
                        std::span<const pmu::StatEvent> named) {
  const auto name_of = [&](std::uint32_t event) {
    const auto owner = std::find_if(named.begin(), named.end(), [&](const pmu::StatEvent& one) {
      return std::find(one.parts.begin(), one.parts.end(), event) != one.parts.end();
    });
    return owner == named.end() ? std::string("an event") : owner->name;
  };
  const double percent = effect.otherwise > 0 ? 100 * (effect.during / effect.otherwise - 1) : 0;
  const std::string much = effect.otherwise > 0 ? fmt::format("by {:+.1f} %", percent) : "from nothing";
  std::string who;
  for (const auto& event : named) {
    const auto turns = [&](std::size_t part) {
      return !in_whole(run, part) && run.counts[part].state != pmu::events::CountState::not_supported;
    };
    if (std::any_of(event.parts.begin(), event.parts.end(), turns)) who += (who.empty() ? "" : ", ") + event.name;
  }
  return fmt::format(
      "counting changes the load: {} changes {} while {} has its turn, and turns cannot represent the whole window: no "
      "estimate of {} (--passes counts each event alone)",
      name_of(effect.beside), much, name_of(effect.event), who);
}

pmu::events::EventCount count_of(const pmu::slots::SlotRun& run, std::size_t event,
                                 const pmu::slots::Estimate& estimate) {
  pmu::events::EventCount count = run.counts[event];
  if (in_whole(run, event)) return count;
  if (run.lost_at_ns)
    count.state = pmu::events::CountState::lost;
  else if (count.state != pmu::events::CountState::not_supported)  // a task that slept in all slots has no count
    count.state = estimate.confidence > 0 ? pmu::events::CountState::counted : pmu::events::CountState::not_counted;
  count.scaled = estimate.confidence > 0 ? estimate.total : estimate.low;
  count.running_share = estimate.share;
  count.enabled_ns = count.window_ns = static_cast<std::uint64_t>(run.window_ns);
  count.running_ns = static_cast<std::uint64_t>(run.window_ns * estimate.share);
  return count;
}

// The sum excludes lanes that the port lacks.
SlotInterval interval_of(const pmu::StatEvent& named, std::span<const pmu::slots::Estimate> estimates,
                         const pmu::slots::SlotRun& run) {
  std::vector<pmu::slots::Estimate> parts;
  for (const auto part : named.parts)
    if (run.counts[part].state != pmu::events::CountState::not_supported) parts.push_back(estimates[part]);
  SlotInterval interval;
  interval.estimate = parts.empty() ? pmu::slots::Estimate{0, 0, 0, 0} : pmu::slots::sum(parts);
  interval.estimate.total *= named.scale;
  interval.estimate.low *= named.scale;
  interval.estimate.high *= named.scale;
  return interval;
}

pmu::slots::Estimate estimate_of(const pmu::slots::SlotRun& run, std::size_t event, bool withheld) {
  if (in_whole(run, event)) return whole_count(run.counts[event], run.window_ns);
  auto estimate = pmu::slots::estimate(run.slots, static_cast<std::uint32_t>(event), run.window_ns, kSlotConfidence);
  if (withheld) estimate.confidence = 0;
  return estimate;
}

// The notes of one row, in addition to the common notes.
void add_notes(const pmu::slots::SlotRun& run, const pmu::StatEvent& event,
               const pmu::slots::SlotRunnerOptions& options, SlotInterval& interval, std::vector<std::string>& notes) {
  for (const auto part : event.parts) {
    const std::string doubt = doubt_of(run, static_cast<std::uint32_t>(part), options);
    if (doubt.empty()) continue;
    interval.aliased = true;
    notes.push_back(event.name + ": aliased: " + doubt + "; --passes counts each event alone");
  }
  if (interval.estimate.few && interval.estimate.confidence > 0)
    notes.push_back(event.name +
                    ": a dozen slots or fewer have nearly the whole count: its interval does not cover a burst of "
                    "another size outside the slots");
}

// The notes on the slots, and the events that had no slots.
void add_slot_notes(const pmu::slots::SlotRun& run, std::span<const pmu::StatEvent> named,
                    const pmu::slots::SlotRunnerOptions& options, std::vector<std::string>& notes) {
  std::string whole;
  for (const auto& event : named)
    if (in_whole(run, event.parts.front())) whole += (whole.empty() ? "" : ", ") + event.name;
  if (!whole.empty()) notes.push_back(whole + ": needs no PMU counter: counted all the time, not estimated");
  if (run.slots.empty() && !whole.empty()) return;
  if (run.stretch > 1 && options.cpu_share <= 0)
    notes.push_back(
        fmt::format("the slots became {:g} times as long as requested: memory limits their number", run.stretch));
  const bool fixed = options.plans.front().jitter <= 0;
  notes.push_back(fmt::format(
      "{} slots of {:.3g} ms on average{}, {:.2f} % of one CPU; an interval contains the count with {:g} % "
      "confidence{}",
      run.slots.size(), run.slots.empty() ? 0 : run.window_ns / kMs / static_cast<double>(run.slots.size()),
      fixed ? ", of fixed length and in turn" : "", run.window_ns > 0 ? 100 * run.cpu_ns / run.window_ns : 0,
      100 * kSlotConfidence, fixed ? " only if the load is not synchronous with the slots" : ""));
}

}  // namespace

SlotReport slot_report(const pmu::slots::SlotRun& run, std::span<const pmu::StatEvent> named,
                       const pmu::slots::SlotRunnerOptions& options) {
  SlotReport report;
  const bool drawn = options.plans.front().jitter > 0;
  const auto effect = drawn ? pmu::slots::effect_of_counting(run.slots, run.beside) : std::nullopt;
  std::vector<pmu::slots::Estimate> estimates;
  for (std::size_t i = 0; i < run.counts.size(); ++i) {
    estimates.push_back(estimate_of(run, i, effect.has_value()));
    report.counts.push_back(count_of(run, i, estimates.back()));
  }
  if (effect) report.notes.push_back(effect_note(run, *effect, named));
  for (const auto& event : named) {
    SlotInterval interval = interval_of(event, estimates, run);
    interval.whole = in_whole(run, event.parts.front());
    interval.withheld = effect && !interval.whole;
    add_notes(run, event, options, interval, report.notes);
    if (const auto note = effect ? std::string() : too_few(event, run, estimates); !note.empty())
      report.notes.push_back(note);
    report.intervals.push_back(interval);
  }
  add_slot_notes(run, named, options, report.notes);
  return report;
}

}  // namespace fathom::session::counters
