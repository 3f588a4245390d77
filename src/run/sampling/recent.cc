// Keeps the two most recent samples.
#include "run/sampling/recent.h"

#include <utility>

namespace fathom::run::sampling {

void Recent::add(std::optional<SamplePoint> all) {
  ++ticks_;
  last_.push_back(std::move(all));
  if (last_.size() > kTicks) last_.pop_front();
}

result::Latency Recent::latency(std::size_t dir) const {
  Interval sum;
  for (const auto& point : last_)
    if (point) sum.merge(point->lat[dir]);
  return sum.latency();
}

}  // namespace fathom::run::sampling
