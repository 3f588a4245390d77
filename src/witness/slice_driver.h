// The latency split in slices of time (--breakdown=slices): when its programs are attached is SliceThread's
// (pmu/trace/programs/slice_thread.h); which I/Os are watched is told the loops through their desk.
//
// --breakdown=auto: the first slice begins before the first I/O and goes on as long as watching takes no more than 3 %
// of the fastest loop's time: then every I/O of the run is watched. It is asked again and again, for a job may begin
// late, or be slow at first; from the first time on that it is too dear there are slices.
//
// Where every I/O is watched nothing is left to hold it against. A ramp is: while all that run are in theirs, slices take
// turns with unwatched time that is as long; the last begins before any ramp can be over, and goes on. Thread rule: constructed,
// begun and ended by the main thread; attaching and `on_moment` are on a thread of its own in between.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "pmu/trace/programs/slice_thread.h"
#include "pmu/trace/programs/split_programs.h"
#include "split/desk.h"
#include "witness/cost/ramps.h"
#include "witness/cost/split_toggle.h"
#include "witness/cost/watching_cost.h"

namespace fathom::witness {

// What is looked at; by_cost: all of it as long as that costs little, else slices; by_another: whoever has the toggle says.
enum class Watch { by_cost, all, slices, by_another };

class SliceDriver : private cost::SplitToggle {
 public:
  using Moment = cost::Moment;
  // Whoever sums is told each moment of a round; `over` is when what began in the slice is over or was given up.
  SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk, std::function<void(Moment)> on_moment,
              Watch watch, cost::Ramps ramps);
  ~SliceDriver() override { end(); }
  SliceDriver(const SliceDriver&) = delete;
  base::Expected<void> begin();
  void end() { thread_.end(); }
  double watched_s() const { return thread_.watched_s(); }      // after end()
  bool watched_all() const { return all_; }                     // after end(): what was measured
  const std::string& cause() const { return thread_.cause(); }  // why it stopped before, where it did

 private:
  base::Expected<void> attach() override;
  void watch(bool on) override;
  pmu::trace::programs::Rounds rounds() override;
  bool may_go_on() override;
  void over() override;
  double share_of_time();

  std::function<void(Moment)> on_moment_;
  const Watch how_;
  const cost::Ramps ramps_;
  bool all_, pairs_;  // every I/O of the measured part is watched; it has not begun, and what that costs is measured
  struct Look {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> ios;  // by worker
    pmu::trace::programs::RunTime run_time;
  };
  std::deque<Look> looks_;
  pmu::trace::programs::SliceThread thread_{*this, "fathom-split"};
};

}  // namespace fathom::witness
