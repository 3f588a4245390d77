// The breakdown as a probe that can be switched on and off: attaches and detaches the programs, and sets in the loops'
// desk which I/Os are traced. Thread rule: as Sliced.
#pragma once
#include <cstdint>

#include "pmu/trace/programs/slice_thread.h"
#include "pmu/trace/programs/split_programs.h"
#include "split/desk.h"

namespace fathom::witness::cost {

class SplitToggle : public pmu::trace::programs::Sliced {
 public:
  SplitToggle(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk) : programs_(programs), desk_(desk) {}
  base::Expected<void> attach() override { return programs_.attach(); }
  void detach() override { programs_.detach(); }
  void watch(bool on) override { desk_.watch(on ? ++slice_ : 0); }
  bool any_in_flight() override { return desk_.any_in_flight(); }
  void give_up() override { desk_.give_up(slice_); }

 protected:
  pmu::trace::programs::SplitPrograms& programs_;
  split::Desk& desk_;

 private:
  std::uint32_t slice_ = 0;
};

}  // namespace fathom::witness::cost
