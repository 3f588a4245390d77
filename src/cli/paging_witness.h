// The witnesses beside a paging run: what the swap devices took for their requests (pmu/'s tracepoints, or reads made
// of them directly where there are none), and what the block layer counted of their disks. Begun just before the
// measured window, ended just after it. Thread rule: the main thread.
#pragma once
#include <string>
#include <vector>

#include "cli/probe_thread.h"
#include "pmu/trace/device_time_probe.h"
#include "result/result.h"

namespace fathom::cli {

class PagingWitness {
 public:
  // audit: false with --audit=off. times: the devices are timed without an audit too (a breakdown's rows rest on them).
  PagingWitness(const std::vector<result::PagingSwap>& swaps, bool audit, bool times);

  void begin();
  void end();  // while the swap still holds what was swapped
  void complete(result::Run& run);
  ProbeThread::Probes ended() { return std::move(watch_.ended); }

 private:
  bool audit_;
  std::vector<result::PagingSwap> swaps_;
  std::vector<const pmu::DeviceTimeProbe*> timers_;  // one a swap; owned by watch_ from begin() on
  ProbeThread watch_;
  std::vector<result::DeviceTime> devices_;
};

}  // namespace fathom::cli
