// Chooses the clock of each job.
#include "run/process/clock_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/system/cpu_list.h"
#include "clock/fitness.h"
#include "io/engines.h"
#include "job/fields/cpus.h"

namespace fathom::run::process {
namespace {

std::optional<clock::sources::Source> source_of(job::ClockSource asked) {
  switch (asked) {
    case job::ClockSource::cpu:
      return clock::sources::Source::cpu;
    case job::ClockSource::clock_gettime:
      return clock::sources::Source::clock_gettime;
    case job::ClockSource::gettimeofday:
      return clock::sources::Source::gettimeofday;
    case job::ClockSource::automatic:
      break;
  }
  return std::nullopt;
}

bool wants_cpu_clock(job::ClockSource asked) {
  return asked == job::ClockSource::cpu || asked == job::ClockSource::automatic;
}

clock::Choice choice_of(job::ClockSource asked, const std::optional<clock::Fitness>& fitness) {
  const auto source = source_of(asked);
  if (source && *source != clock::sources::Source::cpu) return {*source, true, false, "requested with clocksource="};
  return clock::choose(source, *fitness);
}

void add_test(const clock::TestSummary& test, double ticks_per_second, result::ClockFacts& facts) {
  facts.verdict = clock::name(test.outcome);
  if (test.outcome == clock::Outcome::not_tested) {
    if (!facts.check_skipped && !test.text.empty()) facts.reason += ": " + test.text;
    return;
  }
  facts.test = clock::name(test.kind);
  facts.test_cached = test.cached;
  facts.cpus_tested = base::system::cpu_list_text(test.cpus);
  facts.mismatches = test.mismatches;
  if (ticks_per_second > 0) facts.detectable_ns = static_cast<double>(test.detectable_ticks) * 1e9 / ticks_per_second;
}

// Adds notes about rates that other sources report, but that were rejected.
std::string calibration_text(const clock::sources::Calibration& calibration) {
  std::string text = calibration.method;
  for (const auto& note : calibration.notes) text += "; " + note;
  return text;
}

result::ClockFacts scripted_clock() {
  result::ClockFacts facts;
  facts.source = "sim";
  facts.verdict = "exact: a scripted clock";
  facts.ticks_per_second = 1e9;
  facts.calibration = "one tick is one nanosecond";
  return facts;
}

}  // namespace

bool on_fake_time(const job::Job& job) { return io::traits_of(job.ioengine).fake_time; }

ClockTools untested_clocks() {
  ClockTools tools;
  tools.fitness = [](const std::vector<unsigned>& cpus) {
    return clock::gather_fitness(cpus, clock::ClockCheck::skip, {}, {});
  };
  tools.calibrate = [](clock::sources::Source source) { return clock::sources::calibrate(source); };
  tools.check_skipped = true;
  return tools;
}

std::vector<unsigned> cpus_of(std::span<const files::Plan> plans, const std::vector<unsigned>& usable) {
  std::set<unsigned> wanted;
  for (const auto& plan : plans) {
    if (on_fake_time(plan.job) || !wants_cpu_clock(plan.job.clocksource)) continue;
    const auto& allowed = plan.job.of<job::fields::Cpus>().allowed;
    if (allowed.empty()) return usable;
    wanted.insert(allowed.begin(), allowed.end());
  }
  return {wanted.begin(), wanted.end()};
}

RunClocks::RunClocks(std::span<const files::Plan> plans, const ClockTools& tools, const std::vector<unsigned>& usable)
    : fake_{{}, scripted_clock()} {
  bool asked[4] = {};
  for (const auto& plan : plans)
    if (!on_fake_time(plan.job)) asked[static_cast<std::size_t>(plan.job.clocksource)] = true;
  std::optional<clock::Fitness> fitness;
  if (asked[static_cast<std::size_t>(job::ClockSource::cpu)] ||
      asked[static_cast<std::size_t>(job::ClockSource::automatic)])
    fitness = tools.fitness(cpus_of(plans, usable));
  if (fitness) boot_drift_ = fitness->drift;
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (asked[i]) take(static_cast<job::ClockSource>(i), tools, fitness);
}

const RunClocks::Taken& RunClocks::of(const job::Job& job) const {
  return on_fake_time(job) ? fake_ : *taken_[static_cast<std::size_t>(job.clocksource)];
}

// Each source is calibrated once, even if several values of clocksource= lead to it.
void RunClocks::take(job::ClockSource asked, const ClockTools& tools, const std::optional<clock::Fitness>& fitness) {
  auto choice = choice_of(asked, fitness);
  const auto calibrated = [&](clock::sources::Source source) -> const clock::sources::Calibration& {
    const auto at = static_cast<std::size_t>(source);
    auto& calibration = calibrations_[at];
    if (!calibration) {
      calibration = tools.calibrate(source);
      if (tools.cost) costs_[at] = tools.cost(*calibration);
    }
    return *calibration;
  };
  const auto* calibration = &calibrated(choice.source);
  if (calibration->source != choice.source) {  // the CPU clock could not be calibrated
    choice = {calibration->source, false, true, calibration_text(*calibration)};
    calibration = &calibrated(choice.source);
  }
  // A clock that drifted in an earlier run is still calibrated and watched. It is used again once it is correct.
  if (choice.fell_back && fitness && fitness->drift_ppm) (void)calibrated(clock::sources::Source::cpu);
  const auto& cost = costs_[static_cast<std::size_t>(choice.source)];
  Taken taken{*calibration, {}};
  auto& facts = taken.facts;
  facts.source = clock::sources::name(calibration->source);
  facts.ticks_per_second = calibration->ticks_per_second;
  facts.calibration = calibration_text(*calibration);
  facts.calibration_error_ppm = calibration->error_ppm;
  facts.resolution_ns = cost.resolution_ns;
  facts.read_cost_ns = cost.read_ns;
  facts.fit = choice.fit;
  facts.fell_back = choice.fell_back;
  facts.reason = choice.reason;
  if (wants_cpu_clock(asked)) {
    facts.check_skipped = tools.check_skipped;
    const auto& counter = calibrations_[static_cast<std::size_t>(clock::sources::Source::cpu)];
    const bool rated = counter && counter->source == clock::sources::Source::cpu;
    add_test(fitness->test, rated ? counter->ticks_per_second : 0, facts);
  }
  taken_[static_cast<std::size_t>(asked)] = std::move(taken);
}

const clock::sources::Calibration* RunClocks::cpu_calibration() const {
  const auto& counter = calibrations_[static_cast<std::size_t>(clock::sources::Source::cpu)];
  return counter && counter->source == clock::sources::Source::cpu ? &*counter : nullptr;
}

}  // namespace fathom::run::process
