// Measures the overhead of each of several probes separately. In each slice one randomly chosen probe is on. The slice
// is compared with the time just before it, in which all probes are off. Each probe has one slice before any has its
// next. Each slice reads all jobs, because the overhead of a probe may differ between jobs. Thread rule: constructed,
// begun and ended by the main thread; in between, a separate thread switches the probes.
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
  std::unique_ptr<pmu::trace::programs::Sliced> toggle;  // null: the probe cannot be switched on
  std::string cause;                                     // the reason
  // of the probe's work in a slice, the share that an equal time of a run has: a probe that reads twice per second
  // reads once in a slice
  double share = 1;
};

struct MeteredJob {
  std::string name;
  int number = 0;
  Meter meter;  // each probe has a separate copy
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
  bool on_ = false;  // the probe could be switched on
  pmu::trace::programs::SliceThread thread_{*this, "fathom-cost"};
};

}  // namespace fathom::witness::cost
