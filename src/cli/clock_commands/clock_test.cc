// The cross-core test as a command: parse, calibrate, test with each barrier, keep the verdict, report.
#include "cli/clock_commands/clock_test.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/system/affinity.h"
#include "cli/clock_commands/clock_test_fio.h"
#include "cli/clock_commands/clock_test_options.h"
#include "cli/clock_commands/clock_test_result.h"
#include "cli/exit_codes.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "clock/self_code.h"
#include "clock/sources/bracket.h"
#include "clock/verdict_cache.h"
#include "report/document.h"
#include "report/formats.h"

namespace fathom::cli::clock_commands {
namespace {

int fail(const base::Error& error) {
  show_error(error, "fathom clock test");
  return exit_code(error, false);
}

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
      e.what = "--inject: how fast the counter runs is not known: " + test.calibration;
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

// Only what a run may rely on is kept: the long test, made with the barrier of runs, of the clock as it is.
void keep_verdict(result::ClockTest& test, const clock::TestSummary& summary) {
  if (!test.injected.empty())
    test.not_stored = "the clock was made wrong on purpose";
  else if (test.barrier != test.barrier_of_runs)
    test.not_stored = "runs rely on the test with " + test.barrier_of_runs;
  else if (summary.kind != clock::TestKind::full)
    test.not_stored = "the test was shorter than the default";
  else if (summary.outcome == clock::Outcome::not_tested)
    test.not_stored = "there is none";
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

// With each barrier; the verdict is that of runs' own, else that of the first.
base::Expected<result::ClockTest> test_clocks(const ClockTestOptions& options) {
  result::ClockTest test;
  test.cpus = options.cpus;
  test.entries_per_cpu = options.entries;
  test.barrier_of_runs = row(clock::cores::kDefaultBarrier).name;
  for (const auto& i : options.injections) test.injected.push_back({i.cpu, i.offset_ns, i.drift_ppm, {}, 0});
  calibrate(test);
  const auto injections = in_ticks(test);
  if (!injections) return injections.error();
  clock::TestSummary summary;
  for (const auto barrier : options.barriers) {
    const auto run = run_test(test_options(test, barrier, *injections));
    if (!run) return run.error();
    test.results.push_back(barrier_test(barrier, instruction_of(barrier), *run, test.ticks_per_second));
    if (test.results.size() > 1 && barrier != clock::cores::kDefaultBarrier) continue;
    test.barrier = test.results.back().barrier;
    summary = summarize(*run, test_options(test, barrier, {}), test.ticks_per_second);
  }
  judge_injections(test);
  keep_verdict(test, summary);
  return report::as_stored(test);
}

// So many measurements of so long, as fio takes them.
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

int clock_test_command(std::span<const std::string> args) {
  auto options = parse_clock_test(args, clock::cores::usable_cpus());
  if (!options) return fail(options.error());
  if (options->help) {
    write_text(stdout, options::help_text(clock_test_manual()));
    return kOk;
  }
  const auto test = test_clocks(*options);
  if (!test) return fail(test.error());
  write_text(stdout, options->json ? report::clock_test_json(*test) : report::clock_test_text(*test));
  return test->decisive().verdict == result::TestOutcome::passed ? kOk : kCheckFailed;
}

int cpuclock_test() {
  clock::cores::TestOptions options;
  options.cpus = clock::cores::usable_cpus();
  options.entries_per_cpu = clock::cores::full_entries(options.cpus.size());
  options.most_mismatches = SIZE_MAX;
  write_text(stdout, fmt::format("cs: reliable_tsc: {}\n", clock::sources::cpu_clock_invariant() ? "yes" : "no"));
  write_text(stdout, calibration_text(measure_cpu_clock()));
  write_text(stdout, fmt::format("cs: Testing {} CPUs\n", options.cpus.size()));
  const auto run = run_test(options);
  if (!run) {
    show_error(run.error(), "fio");
    return kFioFailed;
  }
  write_text(stdout, cpuclock_text(*run));
  return outcome_of(*run) == clock::Outcome::passed ? kOk : kFioFailed;
}

}  // namespace fathom::cli::clock_commands
