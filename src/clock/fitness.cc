// Collects the facts for and against the CPU clock.
#include "clock/fitness.h"

#include "clock/drift.h"
#include "clock/sources/calibration.h"

namespace fathom::clock {
namespace {

TestSummary not_tested(std::span<const unsigned> cpus) {
  TestSummary summary;
  summary.cpus.assign(cpus.begin(), cpus.end());
  summary.text = "the cross-core test was skipped (--clock-check=skip)";
  return summary;
}

TestSummary tested_and_stored(std::span<const unsigned> cpus, const ClockTests& tests, const VerdictCache& cache) {
  auto summary = tests.full(cpus);
  // without a directory to write to, the next run tests again
  if (summary.outcome != Outcome::not_tested) (void)store_verdict(summary, cache);
  return summary;
}

TestSummary test_of(std::span<const unsigned> cpus, ClockCheck check, const ClockTests& tests,
                    const VerdictCache& cache, const KernelView& kernel) {
  if (check == ClockCheck::skip) return not_tested(cpus);
  if (check == ClockCheck::full) return tested_and_stored(cpus, tests, cache);
  if (auto stored = load_verdict(cpus, cache)) return *stored;
  return tests.brief(cpus, kernel.uses_counter() ? kBriefTest_ns : kPatientTest_ns);
}

}  // namespace

Fitness gather_fitness(std::span<const unsigned> cpus, ClockCheck check, const ClockTests& tests,
                       const VerdictCache& cache, const KernelSources& kernel) {
  const auto view = kernel_view(kernel);
  Fitness fitness{sources::cpu_clock_invariant(), view, test_of(cpus, check, tests, cache, view), std::nullopt,
                  load_drift(cache)};
  const auto& drift = fitness.drift;
  const double shown = drift ? shown_ppm(*drift) : 0;
  if (drift && (shown != 0 || drift->bound_ppm <= sources::kMaxErrorPpm)) fitness.drift_ppm = shown;
  return fitness;
}

}  // namespace fathom::clock
