// Injected faults: which I/O command gets which fault. Each fault counts the controller's I/O commands separately:
// `after` commands succeed, the next one gets the fault, and then every `every`th (0: no other).
// If two faults are due at the same command, the first in the list applies. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "nvme/soft/options.h"

namespace fathom::nvme::soft {

class FaultPlan {
 public:
  explicit FaultPlan(const std::vector<Fault>& faults);
  // Call once per I/O command, in order. Returns its fault; nullptr: no fault.
  const Fault* next();
  bool any() const { return !armed_.empty(); }

 private:
  struct Armed {
    Fault fault;
    std::uint64_t left;  // commands before the next fault
    bool spent = false;
  };
  std::vector<Armed> armed_;
};

}  // namespace fathom::nvme::soft
