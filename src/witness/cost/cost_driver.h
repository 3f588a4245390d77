// What each of several watchers costs, each by itself: one slice is watched by one of them, drawn, and held against the
// unwatched time just before it, in which none of them watches. Each has its turn before any has its next. All jobs are
// read at each slice: a watcher may cost one of them what it does not cost another.
// Thread rule: constructed, begun and ended by the main thread; watchers are switched on a thread of its own in between.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/prng.h"
#include "pmu/trace/programs/slice_thread.h"
#include "result/watching_cost.h"
#include "witness/cost/watching_cost.h"

namespace fathom::witness::cost {

struct Watcher {
  std::string name;
  std::unique_ptr<pmu::trace::programs::Sliced> toggle;  // null: it cannot be switched on
  std::string cause;                                     // why
  double share = 1;  // what of it a run has, of what a slice has: whoever looks twice a second looks once in a slice
};

struct MeteredJob {
  std::string name;
  int number = 0;
  Meter meter;  // each watcher has one of its own
  bool paced = false;
};

class CostDriver : private pmu::trace::programs::Sliced {
 public:
  CostDriver(std::vector<Watcher> watchers, std::vector<MeteredJob> jobs);
  ~CostDriver() override { end(); }
  CostDriver(const CostDriver&) = delete;
  void begin();
  void end() { thread_.end(); }
  std::vector<result::WatcherCost> costs() const;  // after end()

 private:
  base::Expected<void> attach() override;
  void detach() override;
  void watch(bool on) override;
  pmu::trace::programs::Rounds rounds() override { return pmu::trace::programs::kOfPairs; }
  bool any_in_flight() override { return on_ && now_->toggle->any_in_flight(); }
  void give_up() override { now_->toggle->give_up(); }
  void over() override;
  void tell(Moment moment);
  void choose_next();

  std::vector<Watcher> watchers_;
  std::vector<MeteredJob> jobs_;
  std::vector<std::vector<WatchingCost>> costs_;  // by watcher, job
  base::Prng prng_;
  std::vector<Watcher*> to_come_;
  Watcher* now_ = nullptr;
  bool on_ = false;  // it could be switched on
  pmu::trace::programs::SliceThread thread_{*this, "fathom-cost"};
};

}  // namespace fathom::witness::cost
