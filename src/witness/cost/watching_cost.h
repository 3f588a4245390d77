// What watching costs whoever is watched: a meter of it, read at the moments of slices, and what the pairs say
// (stats/paired_slices.h) as a result. Thread rule: as the meter.
#pragma once
#include <functional>
#include <utility>

#include "result/watching_cost.h"
#include "stats/paired_slices.h"

namespace fathom::witness::cost {

using Moment = stats::SliceMoment;
using Meter = std::function<stats::SliceReading()>;  // how far it is, now: a JobMeter

// paced: its rate does not move, and latency and CPU time have to say it.
// share: of what was seen, so much is there in a run, for a watcher that was busier than it is there.
result::WatchingCost to_result(const stats::PairedCost& cost, bool paced, double share = 1);

class WatchingCost {
 public:
  explicit WatchingCost(Meter meter) : meter_(std::move(meter)) {}
  void at(Moment moment) {
    // When a slice is over nothing is read that its pair needs.
    slices_.at(moment, moment == Moment::over ? stats::SliceReading{} : meter_());
  }
  stats::PairedCost sum() const { return slices_.sum(); }

 private:
  Meter meter_;
  stats::PairedSlices slices_;
};

}  // namespace fathom::witness::cost
