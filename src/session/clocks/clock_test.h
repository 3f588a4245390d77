// The cross-core test as a measurement: calibrates the counter, runs the test with each requested barrier, and stores
// the verdict for this boot if runs may rely on it. `fathom clock test`.
#pragma once
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "clock/cores/barrier.h"
#include "result/commands/clock_test.h"

namespace fathom::session::clocks {

// A clock that is to be wrong on purpose; times still in ns.
struct AskedInjection {
  unsigned cpu = 0;
  double offset_ns = 0, drift_ppm = 0;
};

struct AskedClockTest {
  std::vector<unsigned> cpus;
  std::uint32_t entries = 0;  // on each CPU
  std::vector<clock::cores::Barrier> barriers{clock::cores::kDefaultBarrier};
  std::vector<AskedInjection> injections;
};

// The verdict is for the barrier that runs use; if that was not requested, for the first. ErrorKind::privilege: there
// are injections, but the rate of the counter is unknown.
base::Expected<result::ClockTest> test_clocks(const AskedClockTest& asked);

}  // namespace fathom::session::clocks
