// The cross-core test as a measurement: the counter calibrated, the test made with each barrier that is asked for, and the
// verdict kept for this boot where runs may rely on it. `fathom clock test`.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "clock/cores/barrier.h"
#include "result/commands/clock_test.h"

namespace fathom::session::clocks {

// A clock that is to be wrong on purpose, times still in ns.
struct AskedInjection {
  unsigned cpu = 0;
  double offset_ns = 0, drift_ppm = 0;
};

struct AskedClockTest {
  std::vector<unsigned> cpus;
  std::uint32_t entries = 0;  // on each
  std::vector<clock::cores::Barrier> barriers{clock::cores::kDefaultBarrier};
  std::vector<AskedInjection> injections;
};

// The verdict is that of the barrier of runs, else that of the first. ErrorKind::privilege: there are injections, and how
// fast the counter runs is not known.
base::Expected<result::ClockTest> test_clocks(const AskedClockTest& asked);

}  // namespace fathom::session::clocks
