// Measures the rate as fio does, in addition to the calibration that runs use.
#include "session/clocks/cpu_clock_test.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>

#include "base/system/affinity.h"
#include "clock/cores/cross_core.h"
#include "clock/sources/bracket.h"
#include "session/clocks/cpu_clock_text.h"

namespace fathom::session::clocks {
namespace {

// Number and duration of fio's measurements.
constexpr unsigned kRateMeasurements = 50;
constexpr std::uint64_t kRateMeasurement_ns = 1'280'000;

std::uint64_t ticks_per_ms() {
  const auto begin = clock::sources::read_bracket();
  auto end = begin;
  while (end.before_ns < begin.after_ns + kRateMeasurement_ns) end = clock::sources::read_bracket();
  const double ns = static_cast<double>((end.before_ns + end.after_ns) - (begin.before_ns + begin.after_ns)) / 2;
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(end.ticks - begin.ticks) * 1e6 / ns));
}

CpuClockCalibration measure_cpu_clock() {
  const base::system::StayOnThisCpu stay;
  CpuClockCalibration found;
  found.pid = ::getpid();
  found.calibration = clock::sources::calibrate(clock::sources::Source::cpu);
  for (unsigned i = 0; i < kRateMeasurements; ++i) found.ticks_per_ms.push_back(ticks_per_ms());
  found.start_ticks = clock::sources::read_bracket().ticks;
  return found;
}

}  // namespace

base::Expected<bool> test_cpu_clock(const std::function<void(const std::string&)>& on_text) {
  clock::cores::TestOptions options;
  options.cpus = clock::cores::usable_cpus();
  options.entries_per_cpu = clock::cores::full_entries(options.cpus.size());
  options.most_mismatches = SIZE_MAX;
  on_text(fmt::format("cs: reliable_tsc: {}\n", clock::sources::cpu_clock_invariant() ? "yes" : "no"));
  on_text(calibration_text(measure_cpu_clock()));
  on_text(fmt::format("cs: Testing {} CPUs\n", options.cpus.size()));
  const auto run = run_test(options);
  if (!run) return run.error();
  on_text(cpuclock_text(*run));
  return outcome_of(*run) == clock::Outcome::passed;
}

}  // namespace fathom::session::clocks
