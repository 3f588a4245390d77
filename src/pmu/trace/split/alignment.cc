// A bracket tells the middle of its two readings of the reference, within half its width.
#include "pmu/trace/split/alignment.h"

#include <algorithm>
#include <cmath>

namespace fathom::pmu::trace::split {

void ClockAlignment::add(const clock::sources::Bracket& bracket) {
  if (held_.empty()) origin_ns_ = bracket.before_ns;
  const auto before = static_cast<double>(bracket.before_ns - origin_ns_),
             after = static_cast<double>(bracket.after_ns - origin_ns_);
  const Point point{bracket.ticks, (before + after) / 2, (after - before) / 2};
  if (!held_.empty()) {
    if (point.reference_ns - held_.back().reference_ns < static_cast<double>(ready() ? kApart_ns : kFirstApart_ns))
      return;
    if (ready()) error_ns_ = std::max(error_ns_, std::abs(at(point.ticks) - point.reference_ns) + point.half_width_ns);
  }
  error_ns_ = std::max(error_ns_, point.half_width_ns);
  held_.push_back(point);
  if (held_.size() > kHeld) held_.pop_front();
  const double ticks = static_cast<double>(held_.back().ticks - held_.front().ticks);
  if (ticks > 0) ns_per_tick_ = (held_.back().reference_ns - held_.front().reference_ns) / ticks;
}

double ClockAlignment::at(std::uint64_t ticks) const {
  const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - held_.back().ticks));
  return held_.back().reference_ns + since * ns_per_tick_;
}

std::uint64_t ClockAlignment::to_reference_ns(std::uint64_t ticks) const {
  const double ns = at(ticks);
  return origin_ns_ + static_cast<std::uint64_t>(std::max(0.0, std::round(ns)));
}

clock::sources::Bracket narrow_bracket(clock::sources::Source source, clock::sources::HeldAgainst reference) {
  const auto width = [](const clock::sources::Bracket& b) { return b.after_ns - b.before_ns; };
  clock::sources::Bracket best = clock::sources::read_bracket(source, reference);
  for (int i = 0; i < 4; ++i)
    if (const auto next = clock::sources::read_bracket(source, reference); width(next) < width(best)) best = next;
  return best;
}

}  // namespace fathom::pmu::trace::split
