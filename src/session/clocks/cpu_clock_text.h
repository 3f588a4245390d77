// The output of fio's --cpuclock-test, as pure functions of the findings.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clock/cores/cross_core.h"
#include "clock/sources/calibration.h"

namespace fathom::session::clocks {

// The measured rate of the CPU clock, with the fields that fio prints.
struct CpuClockCalibration {
  int pid = 0;
  std::vector<std::uint64_t> ticks_per_ms;  // one per measurement
  clock::sources::Calibration calibration;  // the conversion that a run would use
  std::uint64_t start_ticks = 0;
};
std::string calibration_text(const CpuClockCalibration& found);
// In fio's words, beginning with its lines about the CPUs.
std::string cpuclock_text(const clock::cores::TestRun& run);

}  // namespace fathom::session::clocks
