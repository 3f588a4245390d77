// What speaks for and against the CPU clock, collected.
#include "clock/fitness.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/system/fd.h"
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
  if (summary.outcome != Outcome::not_tested) (void)store_verdict(summary, cache);  // nowhere to write: tested again
  return summary;
}

TestSummary test_of(std::span<const unsigned> cpus, ClockCheck check, const ClockTests& tests,
                    const VerdictCache& cache) {
  if (check == ClockCheck::skip) return not_tested(cpus);
  if (check == ClockCheck::full) return tested_and_stored(cpus, tests, cache);
  if (auto stored = load_verdict(cpus, cache)) return *stored;
  return tests.brief(cpus);
}

}  // namespace

Fitness gather_fitness(std::span<const unsigned> cpus, ClockCheck check, const ClockTests& tests,
                       const VerdictCache& cache) {
  Fitness fitness{sources::cpu_clock_invariant(), kernel_clocksource(), test_of(cpus, check, tests, cache),
                  std::nullopt, load_drift(cache)};
  const auto& drift = fitness.drift;
  const double shown = drift ? shown_ppm(*drift) : 0;
  if (drift && (shown != 0 || drift->bound_ppm <= sources::kMaxErrorPpm)) fitness.drift_ppm = shown;
  return fitness;
}

std::string kernel_clocksource(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[64];
  const auto n = fd ? ::read(fd.get(), text, sizeof text) : 0;
  const std::string_view line(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  return std::string(line.substr(0, line.find('\n')));
}

}  // namespace fathom::clock
