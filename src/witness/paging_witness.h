// Cross-checks of a paging run: the latency of requests at the devices that hold its pages (pmu/'s tracepoints, or
// direct reads without them), and the block layer's counters of their disks. Begun just before the measured interval,
// ended just after it. Thread rule: the main thread.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "paging/memory/media.h"
#include "paging/touchers.h"
#include "pmu/trace/device_time_witness.h"
#include "result/result.h"
#include "witness/cost/watching_cost.h"
#include "witness/witness_thread.h"

namespace fathom::witness {

class PagingWitness {
 public:
  // audit: false with --audit=off. times: time the devices even without an audit (a breakdown's rows need the times).
  PagingWitness(std::vector<paging::memory::Medium> media, bool audit, bool times);

  // Threads of the cross-checks read the devices until end().
  void begin(const paging::Touchers& touchers);
  // Call while the swap still holds the swapped pages. majors: major faults of the interval; if 0, no device is read.
  void end(std::uint64_t majors);
  void complete(result::Run& run);
  WitnessThread::Witnesses ended() { return std::move(watch_.ended); }

 private:
  result::DeviceTime time_of(std::size_t i, std::uint64_t majors) const;
  result::WatchingCost cost_of(std::size_t i) const;

  bool audit_;
  std::vector<paging::memory::Medium> media_;
  std::vector<const pmu::trace::DeviceTimeWitness*>
      timers_;                                              // one per medium, null if no disk is known; owned by watch_
  std::vector<std::unique_ptr<cost::WatchingCost>> costs_;  // one per medium; must outlive the timers' threads
  bool paced_ = false;
  WitnessThread watch_;
  std::vector<result::DeviceTime> devices_;
};

}  // namespace fathom::witness
