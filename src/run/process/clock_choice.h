// The clocks of a run: found once, before the first worker starts, for all of its jobs, whatever their number.
// The CPU clock is tested only if some job stamps with it or would; what the tests, the calibration and the look at the
// sources are is handed in, so that an unfit clock can be had in a test on any machine.
// Thread rule: made by the main thread, then read by anyone.
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

inline constexpr std::size_t kSources = 3;  // clock::sources::Source

// What a reading of a source costs (median), and the smallest step that it shows.
struct SourceCost {
  double read_ns = 0, resolution_ns = 0;
};

struct ClockTools {
  std::function<clock::Fitness(const std::vector<unsigned>& cpus)> fitness;
  std::function<clock::sources::Calibration(clock::sources::Source)> calibrate;
  std::function<SourceCost(const clock::sources::Calibration&)> cost;  // empty: not looked at
  bool check_skipped = false;
};
// Calibrated, but not tested across CPUs; the result says so.
ClockTools untested_clocks();

// The CPUs that the jobs may run on, rising: the union of their cpus_allowed, all usable ones if a job has none. A job
// may name CPUs outside this process's own affinity and gets them; they cannot be tested from here, and that is said.
std::vector<unsigned> cpus_of(std::span<const files::Plan> plans, const std::vector<unsigned>& usable);
// The engine runs on a clock of its own: nothing of a clock source enters its numbers.
bool on_fake_time(const job::Job& job);

class RunClocks {
 public:
  // `usable`: the CPUs that this process may use.
  RunClocks(std::span<const files::Plan> plans, const ClockTools& tools, const std::vector<unsigned>& usable);

  const clock::sources::Calibration& calibration(const job::Job& job) const { return of(job).calibration; }
  // Without what is known only after the run (drift).
  const result::ClockFacts& facts(const job::Job& job) const { return of(job).facts; }
  // The calibration of the CPU clock if a job stamps with it: what the drift of the run is held against.
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

  std::array<std::optional<Taken>, 4> taken_;  // by job::ClockSource: what a job asked for decides alone
  Taken fake_;                                 // of engines on a clock of their own
  std::array<std::optional<clock::sources::Calibration>, kSources> calibrations_;
  std::array<SourceCost, kSources> costs_{};
  std::optional<clock::Drift> boot_drift_;
};

}  // namespace fathom::run::process
