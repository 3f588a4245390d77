#include "run/recent.h"

#include <utility>

namespace fathom::run {

void Recent::add(std::optional<records::SamplePoint> all) {
  ++ticks_;
  last_.push_back(std::move(all));
  if (last_.size() > kTicks) last_.pop_front();
}

stats::Histogram Recent::latencies(std::size_t dir) const {
  stats::PackedHistogram sum;
  for (const auto& point : last_)
    if (point) sum.merge(point->lat[dir]);
  return sum.unpacked();
}

}  // namespace fathom::run
