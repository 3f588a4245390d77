// The clock's functions for a run: fitness, calibration, cost.
#include "session/clock_tools.h"

#include <cmath>

#include "clock/cores/cross_core.h"
#include "clock/fitness.h"
#include "clock/verdict_cache.h"
#include "run/loop/own_cost.h"

namespace fathom::session {
namespace {

constexpr std::uint64_t kShortestKeptDrift_ns = 1'000'000'000;

clock::ClockCheck check_of(job::ClockCheck check) {
  switch (check) {
    case job::ClockCheck::full:
      return clock::ClockCheck::full;
    case job::ClockCheck::skip:
      return clock::ClockCheck::skip;
    case job::ClockCheck::cached:
      break;
  }
  return clock::ClockCheck::cached;
}

clock::sources::Calibration calibrate(clock::sources::Source source) {
  if (source != clock::sources::Source::cpu) return clock::sources::calibrate(source);
  const auto drift = clock::load_drift();
  if (!drift) return clock::sources::calibrate(source);
  const clock::sources::FrequencyClaim earlier{drift->ticks_per_second, "an earlier run of this boot", std::nullopt};
  return clock::sources::calibrate(source, &earlier);
}

}  // namespace

run::process::ClockTools clock_tools(job::ClockCheck check) {
  run::process::ClockTools tools;
  tools.fitness = [check](const std::vector<unsigned>& cpus) {
    const clock::ClockTests tests{clock::cores::brief_test,
                                  [](std::span<const unsigned> c) { return clock::cores::full_test(c); }};
    return clock::gather_fitness(cpus, check_of(check), tests);
  };
  tools.calibrate = calibrate;
  tools.cost = run::loop::source_cost;
  tools.check_skipped = check == job::ClockCheck::skip;
  return tools;
}

// A failed store is ignored: the next run then calibrates without an earlier value.
void remember_drift(const clock::Drift& drift) {
  const bool unfit = std::abs(clock::shown_ppm(drift)) > clock::kMostDrift_ppm;
  if (unfit || drift.over_ns >= kShortestKeptDrift_ns) (void)clock::store_drift(drift);
}

}  // namespace fathom::session
