// A request that completes in parts ends with its first part: its sector then moves on, and the rest finds no begin.
// Its length is taken from its begin, since a bio may have been worn down to nothing by its end.
#include "pmu/trace/device_time_pairs.h"

#include <algorithm>

namespace fathom::pmu::trace {
namespace {

constexpr std::uint64_t kSectorBytes = 512;

bool begins(BlockPoint point) { return point == BlockPoint::rq_issue || point == BlockPoint::bio_queue; }

}  // namespace

Stretches::Stretches(std::vector<split::Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const split::Piece& a, const split::Piece& b) { return a.sector < b.sector; });
  for (const auto& p : pieces) {
    if (!ranges_.empty() && p.sector <= ranges_.back().second)
      ranges_.back().second = std::max(ranges_.back().second, p.sector + p.sectors);
    else
      ranges_.emplace_back(p.sector, p.sector + p.sectors);
  }
}

bool Stretches::holds(std::uint64_t sector, std::uint64_t sectors) const {
  if (ranges_.empty()) return true;
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), sector,
                                      [](std::uint64_t s, const auto& range) { return s < range.first; });
  return after != ranges_.begin() && sector + sectors <= std::prev(after)->second;
}

std::optional<TimedRequest> RequestPairs::add(const BlockEvent& event) {
  if (event.dir > 1) return std::nullopt;
  const Key key{event.sector, event.dev, event.dir};
  if (begins(event.point)) {
    if (open_.size() >= most_ && !open_.contains(key)) {
      lost_ += open_.size();
      open_.clear();
    }
    if (!open_.insert_or_assign(key, Begin{event.time_ns, event.sectors * kSectorBytes}).second) ++lost_;
    return std::nullopt;
  }
  const auto at = open_.find(key);
  if (at == open_.end()) return std::nullopt;
  const Begin begin = at->second;
  open_.erase(at);
  if (event.time_ns < begin.ns) return std::nullopt;
  return TimedRequest{event.dir, begin.ns, event.time_ns - begin.ns, begin.bytes};
}

std::uint64_t RequestPairs::give_up(const std::function<bool(std::uint64_t start_ns)>& counted) {
  const auto n = std::count_if(open_.begin(), open_.end(), [&](const auto& o) { return counted(o.second.ns); });
  open_.clear();
  return static_cast<std::uint64_t>(n);
}

}  // namespace fathom::pmu::trace
