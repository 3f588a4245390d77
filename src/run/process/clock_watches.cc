// Reads the clocks of a run at intervals, and reports jumps and changes of rate.
#include "run/process/clock_watches.h"

#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "result/findings/rows.h"

namespace fathom::run::process {
namespace {

using clock::sources::Bracket, clock::sources::Conversion, clock::sources::HeldAgainst, clock::sources::Source;
using result::findings::found;

constexpr unsigned kReadings = 4;
// The kernel updates its clock in steps, so smaller differences are no error of a latency.
constexpr double kCounterAllowance_ns = 10'000;
constexpr double kCalendarAllowance_ns = 100'000, kSleepAllowance_ns = 1'000'000;
constexpr double kBehind_ns = 10'000'000;

// Used if no test has measured the offset: the maximum, over all tests so far, of the smallest gap.
constexpr double kUntestedOffset_ns = 200;

Bracket read_sleep() {
  const auto before = base::monotonic_ns();
  const auto boot = base::clock_ns(CLOCK_BOOTTIME);
  return {before, boot, base::monotonic_ns()};
}

bool any_by_calendar(std::span<const files::Plan> plans, const RunClocks& clocks) {
  return std::any_of(plans.begin(), plans.end(), [&](const files::Plan& plan) {
    return !on_fake_time(plan.job) && clocks.calibration(plan.job).source == Source::gettimeofday;
  });
}

result::Effect share_of(const clock::Moved& moved, double part_s) {
  return {result::EffectOn::time, moved.watched_s > 0 ? std::min(1.0, part_s / moved.watched_s) : 1};
}

result::Finding jumped(const char* variant, const clock::Moved& moved) {
  return found("clock.jumped", {.variant = variant,
                                .values = {{"jumps", static_cast<double>(moved.jumps)},
                                           {"largest_s", moved.largest_jump_ns * 1e-9},
                                           {"first_s", moved.first_jump_s}},
                                .effect = share_of(moved, std::abs(moved.largest_jump_ns) * 1e-9)});
}

}  // namespace

std::vector<result::Finding> clock_findings(const ClocksMoved& moved) {
  std::vector<result::Finding> findings;
  const auto& counter = moved.counter;
  if (counter.jumps > 0) findings.push_back(jumped("", counter));
  if (counter.off_rate_s > 0 && !counter.steady())
    findings.push_back(found(
        "clock.rate_changed",
        {.values = {{"off_s", counter.off_rate_s}, {"watched_s", counter.watched_s}, {"off_ppm", counter.off_rate_ppm}},
         .effect = share_of(counter, std::abs(counter.off_rate_ppm) * 1e-6 * counter.off_rate_s)}));
  if (moved.calendar.jumps > 0)
    findings.push_back(jumped(moved.by_calendar ? "gettimeofday" : "calendar", moved.calendar));
  if (moved.sleep.jumps > 0)
    findings.push_back(found("clock.slept", {.values = {{"slept_s", moved.sleep.net_ns * 1e-9}},
                                             .effect = share_of(moved.sleep, moved.sleep.net_ns * 1e-9)}));
  return findings;
}

double unseen_offset_ns(const RunClocks& clocks, std::span<const files::Plan> plans) {
  double offset_ns = 0;
  for (const auto& plan : plans) offset_ns = std::max(offset_ns, clocks.facts(plan.job).detectable_ns);
  return offset_ns > 0 ? offset_ns : kUntestedOffset_ns;
}

ClockWatches::ClockWatches(const Conversion* counter, double offset_ns, bool by_calendar)
    : calendar_(Conversion::identity(), {kCalendarAllowance_ns, 0}),
      sleep_(Conversion::identity(), {kSleepAllowance_ns, 0}),
      by_calendar_(by_calendar) {
  // Two reads may run on different CPUs, so the allowance includes the offset between them.
  if (counter != nullptr)
    counter_.emplace(*counter, clock::ClockWatch::Allowance{kCounterAllowance_ns + offset_ns, clock::kMostDrift_ppm});
  look();
}

ClockWatches::ClockWatches(std::span<const files::Plan> plans, const RunClocks& clocks)
    : ClockWatches(clocks.cpu_calibration() != nullptr ? &clocks.cpu_calibration()->conversion : nullptr,
                   unseen_offset_ns(clocks, plans), any_by_calendar(plans, clocks)) {}

void ClockWatches::look() {
  const auto calendar = [] { return clock::sources::read_bracket(Source::gettimeofday, HeldAgainst::monotonic); };
  if (counter_) counter_->look(clock::narrowest_of(kReadings, [] { return clock::sources::read_bracket(); }));
  calendar_.look(clock::narrowest_of(kReadings, calendar));
  sleep_.look(clock::narrowest_of(kReadings, read_sleep));
}

bool ClockWatches::went_back(Source source) const {
  if (source == Source::cpu) return counter_ && counter_->moved().net_ns < -kBehind_ns;
  return source == Source::gettimeofday && calendar_.moved().net_ns < -kBehind_ns;
}

ClocksMoved ClockWatches::moved() const {
  return {counter_ ? counter_->moved() : clock::Moved{}, calendar_.moved(), sleep_.moved(), by_calendar_};
}

}  // namespace fathom::run::process
