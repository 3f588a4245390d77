// The reports of `fathom clock test`: pure functions of what was found.
#pragma once
#include <string>
#include <vector>

#include "cli/clock_test_options.h"
#include "clock/calibration.h"
#include "clock/cross_core.h"

namespace fathom::cli {

struct BarrierResult {
  clock::Barrier barrier = clock::kDefaultBarrier;
  std::string instruction;
  clock::TestRun run;
};

struct ClockTestReport {
  ClockTestOptions options;
  double ticks_per_second = 0;  // 0: not known, then times are in ticks
  std::string calibration;      // how it is known
  std::vector<BarrierResult> results;
  std::size_t decisive = 0;  // which of them is the verdict
  std::string stored;        // where the verdict was kept; empty: nowhere
  std::string not_stored;    // why not
  const BarrierResult& verdict() const { return results[decisive]; }
};

std::string clock_test_text(const ClockTestReport& report);
std::string clock_test_json(const ClockTestReport& report);

// What was found of the CPU clock's rate, in the shape of fio's lines of it.
struct CpuClockCalibration {
  int pid = 0;
  std::vector<std::uint64_t> ticks_per_ms;  // one a measurement
  clock::Calibration calibration;           // what a run would convert with
  std::uint64_t start_ticks = 0;
};
std::string calibration_text(const CpuClockCalibration& found);
// In fio's words, from its lines of the CPUs on.
std::string cpuclock_text(const clock::TestRun& run);

}  // namespace fathom::cli
