// The breakdown in time slices (--breakdown=slices). SliceThread (pmu/trace/programs/slice_thread.h) determines when
// the programs are attached. The loops' desk determines which I/Os are traced.
//
// --breakdown=auto: the first slice begins before the first I/O. It continues while tracing takes at most 3 % of the
// fastest loop's time: then every I/O of the run is traced. The driver checks this repeatedly, because a job may begin
// late or be slow at first. After the first excess it uses slices.
//
// If every I/O is traced, there is no untraced time to compare with, except in a ramp. While all running workers are in
// their ramps, slices alternate with untraced time of equal length. The last slice begins before any ramp can end, and
// continues. Thread rule: constructed, begun and ended by the main thread; in between, a separate thread attaches the
// programs and calls `on_moment`.
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

// Traced I/Os. by_cost: all while the overhead is low, then slices; by_another: the user of the toggle decides.
enum class Watch { by_cost, all, slices, by_another };

class SliceDriver : private cost::SplitToggle {
 public:
  using Moment = cost::Moment;
  // `on_moment` gets each moment of a round; `over`: all I/Os that began in the slice have ended or were given up.
  SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk, std::function<void(Moment)> on_moment,
              Watch watch, cost::Ramps ramps);
  ~SliceDriver() override { end(); }
  SliceDriver(const SliceDriver&) = delete;
  base::Expected<void> begin();
  void end() { thread_.end(); }
  double watched_s() const { return thread_.watched_s(); }  // after end()
  // after end(): every I/O of the measured part was traced
  bool watched_all() const { return all_; }
  const std::string& cause() const { return thread_.cause(); }  // why it stopped early; empty: it did not

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
  // all_: every I/O of the measured part is traced; pairs_: that part has not begun, and the overhead is being measured
  bool all_, pairs_;
  struct Look {
    std::uint64_t at_ns = 0;
    std::vector<std::uint64_t> ios;  // by worker
    pmu::trace::programs::RunTime run_time;
  };
  std::deque<Look> looks_;
  pmu::trace::programs::SliceThread thread_{*this, "fathom-split"};
};

}  // namespace fathom::witness
