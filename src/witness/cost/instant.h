// Common to all meters: reads counts and CPU times that belong to one moment. Thread rule: one thread.
#pragma once
#include <cstdint>

#include "base/system/cpu_time.h"
#include "base/time.h"
#include "stats/paired_slices.h"

namespace fathom::witness::cost {

inline constexpr std::uint64_t kInstant_ns = 50'000;

// read: fills in the other fields. All values are from nearly one instant. If a delay of this thread made it longer
// than kInstant_ns, they are read again, up to three times in total.
template <class Read>
void at_an_instant(stats::SliceReading& reading, const Read& read) {
  std::uint64_t after = 0;
  for (int i = 0; i < 3 && (i == 0 || after - reading.ns > kInstant_ns); ++i) {
    reading.ns = base::monotonic_ns();
    read();
    after = base::monotonic_ns();
  }
}

// CPU time of one worker. After the worker has ended and has no clock, the last value stays.
class CpuTime {
 public:
  std::uint64_t read(int pid, int tid) {
    if (const auto now = base::system::cpu_time_ns(pid, tid)) ns_ = *now;
    return ns_;
  }

 private:
  std::uint64_t ns_ = 0;
};

}  // namespace fathom::witness::cost
