// The latency split in slices of time (--breakdown=slices): when its programs are attached is SliceThread's
// (pmu/trace/programs/slice_thread.h); which I/Os are watched is told the loops through their desk. Thread rule:
// constructed, begun and ended by the main thread; attaching and `on_slice` are on a thread of its own in between.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "pmu/trace/programs/slice_thread.h"
#include "pmu/trace/programs/split_programs.h"
#include "split/desk.h"

namespace fathom::witness {

class SliceDriver : private pmu::trace::programs::Sliced {
 public:
  // on_slice: after each, when what began in it is over or was given up.
  SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk, std::function<void()> on_slice);
  ~SliceDriver() override { end(); }
  SliceDriver(const SliceDriver&) = delete;
  void begin() { thread_.begin(); }
  void end() { thread_.end(); }
  double watched_s() const { return thread_.watched_s(); }      // after end()
  const std::string& cause() const { return thread_.cause(); }  // why it stopped before, where it did

 private:
  base::Expected<void> attach() override { return programs_.attach(); }
  void detach() override { programs_.detach(); }
  void watch(bool on) override { desk_.watch(on ? ++slice_ : 0); }
  bool any_in_flight() override { return desk_.any_in_flight(); }
  void give_up() override { desk_.give_up(slice_); }
  void over() override { on_slice_(); }

  pmu::trace::programs::SplitPrograms& programs_;
  split::Desk& desk_;
  std::function<void()> on_slice_;
  std::uint32_t slice_ = 0;
  pmu::trace::programs::SliceThread thread_{*this, "fathom-split"};
};

}  // namespace fathom::witness
