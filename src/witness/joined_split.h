// `fathom run --breakdown`: each loop attributes the latency of the I/Os that it traces, from the data that the
// kernel's programs wrote into the slot that the loop had published (split/region.h). This class loads and attaches the
// programs before the first worker starts, and combines the loops' sums after the last worker has ended. Thread rule:
// the main thread.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/placement/limited_disks.h"
#include "host/placement/placement.h"
#include "pmu/trace/programs/split_programs.h"
#include "result/breakdown.h"
#include "run/files/targets.h"
#include "split/desk.h"
#include "split/sums/bands.h"
#include "split/sums/slice_cells.h"
#include "witness/cost/watching_cost.h"
#include "witness/slice_driver.h"

namespace fathom::witness {

// A worker with a breakdown, and the job that reports it.
struct DividedWorker {
  std::size_t worker = 0, job = 0;
};
struct DividedJob {
  std::string name;
  int number = 0;
};

class JoinedSplit {
 public:
  JoinedSplit(std::span<const run::files::Plan> plans, std::vector<DividedJob> jobs, std::vector<DividedWorker> workers,
              host::placement::Placements& placements, Watch watch);
  split::Desk* desk() { return &desk_; }
  void begin(const run::WorkerViews& workers);  // call when the files are laid out; workers: by plan
  void end();                                   // call when the last worker has stopped, or without begin()
  // For Watch::by_another, after begin(). null: there is no breakdown, and breakdown() has the cause.
  std::unique_ptr<pmu::trace::programs::Sliced> toggle();
  const result::Breakdown& breakdown() const { return breakdown_; }

 private:
  void add_device(const std::string& disk);
  void place(const run::files::Plan& plan, split::Seat& seat);
  void add_disk(std::uint32_t dev);
  void know_journals();
  void look_for_limits();
  void add_class(std::size_t job, std::size_t dir);
  cost::Ramps ramps(const run::WorkerViews& workers) const;
  base::Expected<void> begin_slices(const run::WorkerViews& workers);
  void watch_classes(const run::WorkerViews& workers);
  void at(cost::Moment moment);
  bool paced(std::size_t job) const;
  std::vector<split::BandCell> cells_of(std::size_t job, std::size_t dir) const;
  void give_bands(std::size_t job, std::size_t dir, stats::Histogram rest, result::BreakdownClass& to) const;

  std::span<const run::files::Plan> plans_;
  std::vector<DividedJob> jobs_;
  std::vector<DividedWorker> workers_;
  host::placement::Placements& placements_;
  Watch watch_;
  split::Desk desk_;
  std::unique_ptr<pmu::trace::programs::SplitPrograms> programs_;
  std::unique_ptr<SliceDriver> driver_;  // for slices, and for slices in a ramp
  bool sliced() const { return driver_ && !driver_->watched_all(); }
  // For slices, by class: job, direction.
  std::vector<split::sums::SliceLedger> ledgers_;
  std::vector<cost::WatchingCost> costs_;
  std::uint64_t began_ns_ = 0;
  std::vector<std::string> devices_;
  host::placement::LimitedDisks limited_disks_;
  bool own_fua_ = true;
  std::string unfollowed_;  // why the first target without places lacks them
  pmu::trace::programs::Wanted wanted_ = {.requests = false};
  result::Breakdown breakdown_;
};

}  // namespace fathom::witness
