// The clocks of a run. They are chosen once for all jobs, before the first worker starts, whatever the number of jobs.
// The CPU clock is tested only if some job stamps with it or would. The caller passes in the tests, the calibration and
// the cost measurement, so that a test can simulate an unfit clock on any machine.
// Thread rule: the main thread creates it, then any thread reads it.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/sources/calibration.h"
#include "clock/verdict.h"
#include "job/job.h"
#include "result/result.h"
#include "run/files/targets.h"

namespace fathom::run::process {

inline constexpr std::size_t kSources = 3;  // number of clock::sources::Source values

// Cost of a clock read (median), and the smallest step that the source shows.
struct SourceCost {
  double read_ns = 0, resolution_ns = 0;
};

struct ClockTools {
  std::function<clock::Fitness(const std::vector<unsigned>& cpus)> fitness;
  std::function<clock::sources::Calibration(clock::sources::Source)> calibrate;
  std::function<SourceCost(const clock::sources::Calibration&)> cost;  // empty: not measured
  bool check_skipped = false;
};
// Calibrated, but not tested across CPUs. The result states this.
ClockTools untested_clocks();

// The CPUs on which jobs that may use the CPU clock can run, in ascending order: the union of their cpus_allowed, or
// all usable CPUs if one of them does not set it. A job may name CPUs outside this process's affinity, and runs there.
// Such CPUs cannot be tested from here, and this is reported.
std::vector<unsigned> cpus_of(std::span<const files::Plan> plans, const std::vector<unsigned>& usable);
// The engine runs on simulated time: no clock source affects its numbers.
bool on_fake_time(const job::Job& job);

class RunClocks {
 public:
  // `usable`: the CPUs that this process may use.
  RunClocks(std::span<const files::Plan> plans, const ClockTools& tools, const std::vector<unsigned>& usable);

  const clock::sources::Calibration& calibration(const job::Job& job) const { return of(job).calibration; }
  // Without facts that are known only after the run (drift).
  const result::ClockFacts& facts(const job::Job& job) const { return of(job).facts; }
  // The calibration of the CPU clock, if there is one: the reference for the drift of the run.
  const clock::sources::Calibration* cpu_calibration() const;
  // The best known drift of this boot, before this run.
  const std::optional<clock::Drift>& boot_drift() const { return boot_drift_; }

 private:
  struct Taken {
    clock::sources::Calibration calibration;
    result::ClockFacts facts;
  };
  const Taken& of(const job::Job& job) const;
  void take(job::ClockSource asked, const ClockTools& tools, const std::optional<clock::Fitness>& fitness);

  std::array<std::optional<Taken>, 4> taken_;  // by job::ClockSource: nothing else of the job matters
  Taken fake_;                                 // for engines on simulated time
  std::array<std::optional<clock::sources::Calibration>, kSources> calibrations_;
  std::array<SourceCost, kSources> costs_{};
  std::optional<clock::Drift> boot_drift_;
};

}  // namespace fathom::run::process
