// The witnesses beside a paging run: what the devices that its pages come from took for their requests (pmu/'s
// tracepoints, or reads made of them directly where there are none), and what the block layer counted of their disks.
// Begun just before the measured window, ended just after it. Thread rule: the main thread.
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
  // audit: false with --audit=off. times: the devices are timed without an audit too (a breakdown's rows rest on them).
  PagingWitness(std::vector<paging::memory::Medium> media, bool audit, bool times);

  // They are looked at until end(), on threads of the witnesses.
  void begin(const paging::Touchers& touchers);
  // While the swap still holds what was swapped. majors: of the window; without one nothing is read of a device.
  void end(std::uint64_t majors);
  void complete(result::Run& run);
  WitnessThread::Witnesses ended() { return std::move(watch_.ended); }

 private:
  result::DeviceTime time_of(std::size_t i, std::uint64_t majors) const;
  result::WatchingCost cost_of(std::size_t i) const;

  bool audit_;
  std::vector<paging::memory::Medium> media_;
  std::vector<const pmu::trace::DeviceTimeWitness*>
      timers_;  // one a medium, null where no disk is known; owned by watch_
  std::vector<std::unique_ptr<cost::WatchingCost>> costs_;  // likewise; outlive the timers' threads
  bool paced_ = false;
  WitnessThread watch_;
  std::vector<result::DeviceTime> devices_;
};

}  // namespace fathom::witness
