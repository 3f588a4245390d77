// Calibrate, test with each barrier, judge the injected errors, store the verdict.
#include "session/clocks/clock_test.h"

#include <cmath>
#include <string>

#include "clock/cores/cross_core.h"
#include "clock/self_code.h"
#include "clock/sources/calibration.h"
#include "clock/verdict_cache.h"
#include "session/clocks/clock_test_result.h"

namespace fathom::session::clocks {
namespace {

std::string instruction_of(clock::cores::Barrier barrier) {
  return barrier == clock::cores::Barrier::builtin ? clock::builtin_instruction()
                                                   : std::string(row(barrier).instruction);
}

base::Expected<std::vector<clock::cores::Injection>> in_ticks(const result::ClockTest& test) {
  std::vector<clock::cores::Injection> injections;
  for (const auto& i : test.injected) {
    if (test.ticks_per_second <= 0) {
      base::Error e;
      e.kind = base::ErrorKind::privilege;
      e.what = "--inject: the rate of the counter is unknown: " + test.calibration;
      return e;
    }
    injections.push_back({i.cpu, std::llround(i.offset_ns * test.ticks_per_second / 1e9), i.drift_ppm});
  }
  return injections;
}

clock::cores::TestOptions test_options(const result::ClockTest& test, clock::cores::Barrier barrier,
                                       const std::vector<clock::cores::Injection>& injections) {
  clock::cores::TestOptions options;
  options.cpus = test.cpus;
  options.entries_per_cpu = test.entries_per_cpu;
  options.barrier = barrier;
  options.injections = injections;
  return options;
}

// Stores a verdict only if runs may rely on it: the long test, with the barrier of runs, of the unmodified clock.
void keep_verdict(result::ClockTest& test, const clock::TestSummary& summary) {
  if (!test.injected.empty())
    test.not_stored = "the clock was made wrong on purpose";
  else if (test.barrier != test.barrier_of_runs)
    test.not_stored = "runs rely on the test with " + test.barrier_of_runs;
  else if (summary.kind != clock::TestKind::full)
    test.not_stored = "the test was shorter than the default";
  else if (summary.outcome == clock::Outcome::not_tested)
    test.not_stored = "no result";
  else if (auto path = clock::store_verdict(summary); path)
    test.stored = *path;
  else
    test.not_stored = path.error().what;
}

void calibrate(result::ClockTest& test) {
  const auto calibration = clock::sources::calibrate(clock::sources::Source::cpu);
  test.calibration = calibration.method;
  if (calibration.source == clock::sources::Source::cpu) test.ticks_per_second = calibration.ticks_per_second;
}

}  // namespace

base::Expected<result::ClockTest> test_clocks(const AskedClockTest& asked) {
  result::ClockTest test;
  test.cpus = asked.cpus;
  test.entries_per_cpu = asked.entries;
  test.barrier_of_runs = row(clock::cores::kDefaultBarrier).name;
  for (const auto& i : asked.injections) test.injected.push_back({i.cpu, i.offset_ns, i.drift_ppm, {}, 0});
  calibrate(test);
  const auto injections = in_ticks(test);
  if (!injections) return injections.error();
  clock::TestSummary summary;
  for (const auto barrier : asked.barriers) {
    const auto run = run_test(test_options(test, barrier, *injections));
    if (!run) return run.error();
    test.results.push_back(barrier_test(barrier, instruction_of(barrier), *run, test.ticks_per_second));
    if (test.results.size() > 1 && barrier != clock::cores::kDefaultBarrier) continue;
    test.barrier = test.results.back().barrier;
    summary = summarize(*run, test_options(test, barrier, {}), test.ticks_per_second);
  }
  judge_injections(test);
  keep_verdict(test, summary);
  return test;
}

}  // namespace fathom::session::clocks
