// Coverage of a window: set-up of its order and bits.
#include "workload/coverage.h"

#include <algorithm>

namespace fathom::workload {

Coverage::Coverage(std::uint64_t units, bool mixed)
    : units_(units), order_(units, 0), visited_(mixed ? units / 64 + 1 : 0) {}

void Coverage::begin(std::uint64_t key) {
  at_ = 0;
  order_ = pattern::Permutation(units_, key);
  std::fill(visited_.begin(), visited_.end(), 0);
}

}  // namespace fathom::workload
