// What a slice of the latency split is made of.
#include "witness/slice_driver.h"

#include <utility>

namespace fathom::witness {

SliceDriver::SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk,
                         std::function<void()> on_slice)
    : programs_(programs), desk_(desk), on_slice_(std::move(on_slice)) {}

}  // namespace fathom::witness
