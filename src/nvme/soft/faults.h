// Faults on order: which I/O command is struck by which fault. Every fault counts the I/O commands of the controller by
// itself: `after` of them go well, the next one is struck, and then every `every`th (0: no other). Where two faults
// fall on the same command the first in the list has it. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "nvme/soft/options.h"

namespace fathom::nvme::soft {

class FaultPlan {
 public:
  explicit FaultPlan(const std::vector<Fault>& faults);
  // For each I/O command once, in order: what strikes it; nullptr: nothing.
  const Fault* next();
  bool any() const { return !armed_.empty(); }

 private:
  struct Armed {
    Fault fault;
    std::uint64_t left;  // commands before the next strike
    bool spent = false;
  };
  std::vector<Armed> armed_;
};

}  // namespace fathom::nvme::soft
