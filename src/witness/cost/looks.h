// All cross-checks that are read periodically, as one probe that can be switched on: one read per slice. A run reads
// them every half second, so a slice shows more of their overhead than a run has (kLooksShare). Thread rule: as Sliced.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "pmu/trace/programs/slice_thread.h"
#include "result/witness.h"
#include "witness/witness_thread.h"

namespace fathom::witness::cost {

class Looks : public pmu::trace::programs::Sliced {
 public:
  using Witnesses = WitnessThread::Witnesses;
  explicit Looks(Witnesses witnesses) : waiting_(std::move(witnesses)) {}
  base::Expected<void> attach() override {
    for (auto& witness : waiting_)
      if (witness->begin()) begun_.push_back(std::move(witness));
    waiting_.clear();
    return {};
  }
  void detach() override {}
  void watch(bool on) override {
    for (auto& witness : begun_)
      if (on) witness->tick();
  }
  bool any_in_flight() override { return false; }
  void give_up() override {}

 private:
  Witnesses waiting_, begun_;
};

inline constexpr double kLooksShare =
    static_cast<double>(pmu::trace::programs::kSlice_ns) / static_cast<double>(kWitnessTick_ns);

}  // namespace fathom::witness::cost
