// The overhead of probes for the traced tasks: reads a meter of them at the moments of slices, and converts the statistics of
// the pairs (stats/paired_slices.h) to a result. Thread rule: as the meter.
#pragma once
#include <functional>
#include <utility>

#include "result/watching_cost.h"
#include "stats/paired_slices.h"

namespace fathom::witness::cost {

using Moment = stats::SliceMoment;
using Meter = std::function<stats::SliceReading()>;  // current progress: a JobMeter

// paced: the rate is fixed, so latency and CPU time show the overhead. share: the share of the measured overhead that a
// run has, for a probe with more work here than in a run.
result::WatchingCost to_result(const stats::PairedCost& cost, bool paced, double share = 1);

class WatchingCost {
 public:
  explicit WatchingCost(Meter meter) : meter_(std::move(meter)) {}
  void at(Moment moment) {
    // Does not read the meter when the slice is over: the pair does not need that reading.
    slices_.at(moment, moment == Moment::over ? stats::SliceReading{} : meter_());
  }
  stats::PairedCost sum() const { return slices_.sum(); }

 private:
  Meter meter_;
  stats::PairedSlices slices_;
};

}  // namespace fathom::witness::cost
