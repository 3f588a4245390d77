// What fio's --cpuclock-test prints, in its lines: pure functions of what was found.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clock/cores/cross_core.h"
#include "clock/sources/calibration.h"

namespace fathom::session::clocks {

// What was found of the CPU clock's rate, in the shape of fio's lines of it.
struct CpuClockCalibration {
  int pid = 0;
  std::vector<std::uint64_t> ticks_per_ms;  // one a measurement
  clock::sources::Calibration calibration;  // what a run would convert with
  std::uint64_t start_ticks = 0;
};
std::string calibration_text(const CpuClockCalibration& found);
// In fio's words, from its lines of the CPUs on.
std::string cpuclock_text(const clock::cores::TestRun& run);

}  // namespace fathom::session::clocks
