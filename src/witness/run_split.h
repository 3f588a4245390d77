// `fathom run --breakdown`: the latency split around a run. It opens when the files are laid out, before the first
// worker starts, and stays open until it is destroyed, after the report: closing tracepoints takes some 40 ms.
// Thread rule: the main thread.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/placement/placement.h"
#include "pmu/trace/split/split_witness.h"
#include "result/result.h"
#include "run/process/clock_choice.h"
#include "run/records/stamp_log.h"
#include "run/runner.h"
#include "witness/joined_split.h"

namespace fathom::witness {

class RunSplit {
 public:
  RunSplit(std::span<const run::files::Plan> plans, const run::process::RunClocks& clocks,
           host::placement::Placements& placements, result::BreakdownMode mode = result::BreakdownMode::by_rate);
  run::records::StampLogs* stamps() { return witness_ ? &logs_ : nullptr; }
  split::Desk* desk() { return joined_ ? joined_->desk() : nullptr; }
  void begin();  // the files are laid out
  void end();    // the last worker has stopped; or nothing was begun
  result::Breakdown breakdown() const;

 private:
  void follow(std::span<const run::files::Plan> plans, const run::process::RunClocks& clocks,
              host::placement::Placements& placements, const std::vector<DividedJob>& jobs,
              const std::vector<DividedWorker>& workers);

  run::records::StampLogs logs_;
  // Neither: no job has a block layer under it.
  std::unique_ptr<pmu::trace::split::SplitWitness> witness_;
  std::unique_ptr<JoinedSplit> joined_;  // --breakdown=all, =slices
  std::string cause_;
};

}  // namespace fathom::witness
