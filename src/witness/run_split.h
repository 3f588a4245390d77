// `fathom run --breakdown`: the latency split around a run: which jobs have a block layer under them, and as what they
// are reported. It opens when the files are laid out, before the first worker starts. Thread rule: the main thread.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "host/placement/placement.h"
#include "result/result.h"
#include "run/runner.h"
#include "witness/joined_split.h"

namespace fathom::witness {

class RunSplit {
 public:
  RunSplit(std::span<const run::files::Plan> plans, host::placement::Placements& placements, Watch watch);
  split::Desk* desk() { return split_ ? split_->desk() : nullptr; }
  void begin(const run::WorkerViews& workers);  // the files are laid out
  void end();                                   // the last worker has stopped; or nothing was begun
  // As JoinedSplit's.
  std::unique_ptr<pmu::trace::programs::Sliced> toggle() { return split_ ? split_->toggle() : nullptr; }
  result::Breakdown breakdown() const;

 private:
  Watch watch_;
  std::unique_ptr<JoinedSplit> split_;  // null: no job has a block layer under it
  std::string cause_;
};

}  // namespace fathom::witness
