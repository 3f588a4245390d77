// `fathom run --breakdown`: the breakdown of a run. It selects the jobs that use a block layer, and the jobs that
// report them. It opens when the files are laid out, before the first worker starts. Thread rule: the main thread.
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
  void begin(const run::WorkerViews& workers);  // call when the files are laid out
  void end();                                   // call when the last worker has stopped, or without begin()
  // As JoinedSplit::toggle().
  std::unique_ptr<pmu::trace::programs::Sliced> toggle() { return split_ ? split_->toggle() : nullptr; }
  result::Breakdown breakdown() const;

 private:
  Watch watch_;
  std::unique_ptr<JoinedSplit> split_;  // null: no job uses the block layer
  std::string cause_;
};

}  // namespace fathom::witness
