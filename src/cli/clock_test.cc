// The cross-core test as a command: parse, calibrate, test with each barrier, keep the verdict, report.
#include "cli/clock_test.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/affinity.h"
#include "cli/clock_test_report.h"
#include "cli/exit_codes.h"
#include "cli/show_error.h"
#include "cli/terminal.h"
#include "clock/bracket.h"
#include "clock/self_code.h"
#include "clock/verdict_cache.h"

namespace fathom::cli {
namespace {

int fail(const base::Error& error) {
  show_error(error, "fathom clock test");
  return exit_code(error, false);
}

std::string instruction_of(clock::Barrier barrier) {
  return barrier == clock::Barrier::builtin ? clock::builtin_instruction() : std::string(row(barrier).instruction);
}

base::Expected<std::vector<clock::Injection>> in_ticks(const ClockTestReport& report) {
  std::vector<clock::Injection> injections;
  for (const auto& i : report.options.injections) {
    if (report.ticks_per_second <= 0) {
      base::Error e;
      e.kind = base::ErrorKind::privilege;
      e.what = "--inject: how fast the counter runs is not known: " + report.calibration;
      return e;
    }
    injections.push_back({i.cpu, std::llround(i.offset_ns * report.ticks_per_second / 1e9), i.drift_ppm});
  }
  return injections;
}

clock::TestOptions test_options(const ClockTestReport& report, clock::Barrier barrier,
                                const std::vector<clock::Injection>& injections) {
  clock::TestOptions options;
  options.cpus = report.options.cpus;
  options.entries_per_cpu = report.options.entries;
  options.barrier = barrier;
  options.injections = injections;
  return options;
}

// Only what a run may rely on is kept: the long test, made with the barrier of runs, of the clock as it is.
void keep_verdict(ClockTestReport& report) {
  const auto& v = report.verdict();
  const auto summary = summarize(v.run, test_options(report, v.barrier, {}), report.ticks_per_second);
  if (!report.options.injections.empty())
    report.not_stored = "the clock was made wrong on purpose";
  else if (v.barrier != clock::kDefaultBarrier)
    report.not_stored = "runs rely on the test with " + std::string(row(clock::kDefaultBarrier).name);
  else if (summary.kind != clock::TestKind::full)
    report.not_stored = "the test was shorter than the default";
  else if (summary.outcome == clock::Outcome::not_tested)
    report.not_stored = "there is none";
  else if (auto path = clock::store_verdict(summary); path)
    report.stored = *path;
  else
    report.not_stored = path.error().what;
}

void calibrate(ClockTestReport& report) {
  const auto calibration = clock::calibrate(clock::Source::cpu);
  report.calibration = calibration.method;
  if (calibration.source == clock::Source::cpu) report.ticks_per_second = calibration.ticks_per_second;
}

// So many measurements of so long, as fio takes them.
constexpr unsigned kRateMeasurements = 50;
constexpr std::uint64_t kRateMeasurement_ns = 1'280'000;

std::uint64_t ticks_per_ms() {
  const auto begin = clock::read_bracket();
  auto end = begin;
  while (end.before_ns < begin.after_ns + kRateMeasurement_ns) end = clock::read_bracket();
  const double ns = static_cast<double>((end.before_ns + end.after_ns) - (begin.before_ns + begin.after_ns)) / 2;
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(end.ticks - begin.ticks) * 1e6 / ns));
}

CpuClockCalibration measure_cpu_clock() {
  const base::StayOnThisCpu stay;
  CpuClockCalibration found;
  found.pid = ::getpid();
  found.calibration = clock::calibrate(clock::Source::cpu);
  for (unsigned i = 0; i < kRateMeasurements; ++i) found.ticks_per_ms.push_back(ticks_per_ms());
  found.start_ticks = clock::read_bracket().ticks;
  return found;
}

}  // namespace

int clock_test_command(std::span<const std::string> args) {
  auto options = parse_clock_test(args, clock::usable_cpus());
  if (!options) return fail(options.error());
  if (options->help) {
    write_text(stdout, options::help_text(clock_test_manual()));
    return kOk;
  }
  ClockTestReport report;
  report.options = *options;
  calibrate(report);
  const auto injections = in_ticks(report);
  if (!injections) return fail(injections.error());
  for (const auto barrier : options->barriers) {
    auto run = run_test(test_options(report, barrier, *injections));
    if (!run) return fail(run.error());
    if (barrier == clock::kDefaultBarrier) report.decisive = report.results.size();
    report.results.push_back({barrier, instruction_of(barrier), std::move(*run)});
  }
  keep_verdict(report);
  write_text(stdout, (options->json ? clock_test_json(report) : clock_test_text(report)));
  return outcome_of(report.verdict().run) == clock::Outcome::passed ? kOk : kCheckFailed;
}

int cpuclock_test() {
  clock::TestOptions options;
  options.cpus = clock::usable_cpus();
  options.entries_per_cpu = clock::full_entries(options.cpus.size());
  options.most_mismatches = SIZE_MAX;
  write_text(stdout, fmt::format("cs: reliable_tsc: {}\n", clock::cpu_clock_invariant() ? "yes" : "no"));
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

}  // namespace fathom::cli
