// Reads the counts before the histograms, which take longer.
#include "witness/cost/access_meter.h"

#include <algorithm>
#include <utility>

#include "paging/lately.h"

namespace fathom::witness::cost {
namespace {

// With more threads, the first ones give the median: reading 40 KiB of each thread would take longer than a slice
// allows.
constexpr std::size_t kMostRead = 256;

}  // namespace

AccessMeter::AccessMeter(paging::Touchers touchers) : touchers_(std::move(touchers)), cpu_(touchers_.pids.size()) {}

void AccessMeter::read_latencies(stats::SliceReading& into) const {
  const auto of = touchers_.classified ? result::AccessClass::major : result::AccessClass::hit;
  into.latencies.assign(stats::kBuckets, 0);
  for (const auto& thread : touchers_.threads.first(std::min(touchers_.threads.size(), kMostRead)))
    for (const auto& direction : thread.histograms[static_cast<std::size_t>(of)])
      for (std::size_t i = 0; i < paging::sources::AccessCounts::kCounts; ++i)
        into.latencies[i] += __atomic_load_n(&direction.raw.counts[i], __ATOMIC_RELAXED);
}

stats::SliceReading AccessMeter::read() {
  stats::SliceReading reading;
  at_an_instant(reading, [&] {
    reading.ios = reading.job_ios = paging::live_totals(touchers_.threads).accesses;
    reading.cpu_ns = 0;
    reading.cpu_known = true;
    for (std::size_t i = 0; i < cpu_.size(); ++i) reading.cpu_ns += cpu_[i].read(touchers_.pids[i], 0);
  });
  read_latencies(reading);
  return reading;
}

}  // namespace fathom::witness::cost
